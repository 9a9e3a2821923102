"""Logging: JSON lines on stderr, one past-tense event with its facts as fields."""

import logging
import sys

import structlog


def configure(*, level: int = logging.INFO) -> None:
    """Send every log line of this process to stderr as one JSON object."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
