// What a line of the feed is about.
export const EventKind = Object.freeze({
  DELTA: "delta",
  STEP: "step",
  ASK: "ask",
  TURN: "turn",
  CONVERSATION: "conversation",
  BOARD: "board",
  BLUEPRINT: "blueprint",
  RUN: "run",
});
