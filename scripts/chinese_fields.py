"""The Chinese of what the fields of friday's tools say in English, for docs/friday.zh.md."""

from typing import Final

FIELDS: Final = {
    # work items
    "Id of the work item in its source; for the task board the id of a task.": (
        "工作项在其来源中的 ID；任务看板即任务的 ID。"
    ),
    "Where it lives, by default `board`.": "工作项所在的来源，默认为 `board`。",
    "Space of the work item in a source that has several; the board needs none.": (
        "工作项所属的空间，仅用于有多个空间的来源；看板不需要。"
    ),
    "Type of the work item in a source that asks for it, such as story; the board needs none.": (
        "工作项的类型（如 story），仅用于要求它的来源；看板不需要。"
    ),
    "Id of the run; send it in the header X-Friday-Run-ID with each further call of this work.": (
        "贯穿工作流的运行 ID；此后的每次调用都在请求头 X-Friday-Run-ID 中带上它。"
    ),
    "Id of this context.": "该上下文的 ID。",
    "The space in the source, under its old name; never a project of ours.": (
        "来源中的 Space 身份，沿用旧名；绝不是本系统的项目。"
    ),
    "The space in the source.": "来源中的 Space 身份。",
    "The project that the blueprint belongs to; absent when no project is bound to the space.": (
        "蓝图所属的项目；该空间未绑定项目时没有此字段。"
    ),
    "The blueprint that this work item has already.": "该工作项已有的蓝图。",
    "The work item.": "工作项。",
    "Id of the work item in its source.": "工作项在其来源中的 ID。",
    "Where it lives.": "所在的来源。",
    "Its title.": "标题。",
    "What it says, as Markdown.": "正文（Markdown）。",
    "Its state, by the source's own word.": "状态，用来源自己的说法。",
    "True when it is cancelled and therefore read-only.": "已取消时为 true，此时只读。",
    "Address of its page, if it has one.": "页面地址（如有）。",
    "True when the work item is cancelled.": "工作项已取消时为 true。",
    # blueprints
    "`context_id` of `get_feishu_work_item_context`.": (
        "`get_feishu_work_item_context` 返回的 `context_id`。"
    ),
    "A stable key of the event that asks for it, at most 200 characters.": (
        "触发事件的稳定键，最多 200 个字符。"
    ),
    "`blueprint_project_id` of `get_feishu_work_item_context`, as it is; never a space id.": (
        "原样传入 `get_feishu_work_item_context` 返回的 `blueprint_project_id`；绝不能用 Space ID。"
    ),
    "Id of the blueprint.": "蓝图 ID。",
    "Id of its technical plan; approval needs it.": "技术方案 ID；批准时必须提交。",
    "The project that it belongs to.": "所属的项目。",
    "Where it stands.": "当前状态。",
    "Id of the blueprint, as its creation has answered it.": "创建时返回的蓝图 ID。",
    "Id of its technical plan.": "技术方案 ID。",
    "The project; compare it with `blueprint_project_id` only.": (
        "项目；只与 `blueprint_project_id` 比较。"
    ),
    "True when the work item is cancelled; then everything is read-only.": (
        "工作项已取消时为 true，此时全部只读。"
    ),
    "The work item that it plans.": "所规划的工作项。",
    "Its questions, in the order in which they are asked.": "澄清问题，按提问顺序。",
    "Id of the question.": "问题 ID。",
    "What it is about.": "问题的类别。",
    "The question, to be shown as it is.": "问题正文，须原样展示。",
    "How it is answered.": "作答方式。",
    "What can be chosen.": "可选项。",
    "What an answer holds when it is chosen.": "选中时写入答复的值。",
    "What the person reads.": "展示给人的文字。",
    "The options that the evidence speaks for.": "证据所支持的选项。",
    "True when a person may answer it now.": "人现在可以作答时为 true。",
    "The person's answer; only once it is answered.": "人的答复；作答之后才有。",
    "Name of the person who answered.": "作答者的姓名。",
    "When it was answered.": "作答时间。",
    "The repositories with their evidence, the likeliest first.": (
        "候选仓库及其证据，最可能的在前。"
    ),
    "Id of the repository.": "仓库 ID。",
    "Name of the repository.": "仓库名称。",
    "How it stands to the work.": "与这项工作的关系。",
    "How well its text matches, 0-1; this is no evidence.": ("文本匹配程度，0-1；不是证据。"),
    "Words of the work that its text holds; these are no evidence.": (
        "工作描述中在仓库里出现的词；不是证据。"
    ),
    "Where its research stands.": "调研状态。",
    "What the repository is for; empty without evidence.": "仓库职责；没有证据时为空。",
    "How the work fits into it.": "这项工作与仓库的适配情况。",
    "Why the work belongs into this repository or does not.": (
        "这项工作应当或不应当在此仓库中进行的理由。"
    ),
    "What is there now; empty without evidence.": "现状摘要；没有证据时为空。",
    "Files that exist in it and show this.": "仓库中确实存在、能说明这一点的文件。",
    "The parts of the evidence that are missing.": "证据缺少的部分。",
    "The conversation that does the research.": "负责调研的对话。",
    "Why its research failed.": "调研失败的原因。",
    "Id of the present version of the text; absent before there is one.": (
        "当前正文的版本 ID；尚无正文时没有此字段。"
    ),
    "Number of that version, from 1.": "版本号，从 1 开始。",
    "SHA-256 of the text in UTF-8 as hexadecimal digits.": ("正文（UTF-8）的 SHA-256，十六进制。"),
    "The text, to be shown to a person as it is.": "正文，须原样展示给人。",
    "The approval; only once a person has approved.": "批准信息；人批准之后才有。",
    "That it is confirmed.": "表示已确认。",
    "Id of the version that was approved.": "所批准的版本 ID。",
    "Hash of the text that was approved.": "所批准正文的哈希。",
    "Name of the person who approved it.": "批准者的姓名。",
    "When it was approved.": "批准时间。",
    # decisions
    "Id of the question, as `get_technical_blueprint` gives it.": (
        "`get_technical_blueprint` 给出的问题 ID。"
    ),
    "The answer in the person's words, or the values of the chosen options, one a line; "
    "at most 16 KiB.": "人的原话，或所选选项的值（每行一个）；最多 16 KiB。",
    "Id of the blueprint, to be sure that the question is its own.": (
        "蓝图 ID，用来核对问题确属该蓝图（可选校验）。"
    ),
    "What has to change, at most 16 KiB.": "需要修改什么，最多 16 KiB。",
    "Id of the version that was shown.": "刚展示的版本 ID。",
    "`content_hash` of the text that was shown.": "刚展示的正文的 `content_hash`。",
    "`technical_plan_id` that creation and fetching have answered.": (
        "创建与取件时返回的 `technical_plan_id`。"
    ),
    "The approval; with it coding may begin.": (
        "确认信封（confirmed envelope）；有了它才允许进入 Coding。"
    ),
    "The repositories to read again, at most 50; without it those whose evidence is missing.": (
        "要重新调研的仓库，最多 50 个；不给出时为缺少证据的仓库。"
    ),
    # feature list plans
    "Id of a project whose feature list it is.": "项目 ID，取其已录入的功能清单。",
    "Name of a branch that is bound to a project, at most 255 characters.": (
        "已关联到项目的分支名，最多 255 个字符。"
    ),
    "The feature list itself, at most 256 KiB: headings, lists, tables or lines.": (
        "功能清单原文，最多 256 KiB：标题、列表、表格或逐行文字。"
    ),
    "Id of the one repository to look at.": "只看这一个仓库。",
    "The repositories to look at, at most 50; without it all of the project.": (
        "要看的仓库，最多 50 个；不给出时为项目的全部仓库。"
    ),
    "Id of the plan session.": "方案会话 ID，贯穿三个工具。",
    "What the user has to confirm.": "待用户确认的问题。",
    "The question, to be shown to the user.": "问题正文，须展示给用户。",
    "What each feature asks of the code, with evidence.": "每个功能点对代码的要求，附证据。",
    "The features in the order of the list.": "功能点，按清单顺序。",
    "Key of the feature within the list.": "功能点在清单中的键。",
    "The module that it stands under; empty without one.": "所属模块；没有时为空。",
    "The feature.": "功能点。",
    "What it asks of the code.": "对代码的要求。",
    "How sure that is, 0-1.": "把握程度，0-1。",
    "Files that exist and show it.": "确实存在、能说明这一点的文件。",
    "Where the change would go; empty when that is unclear.": "建议的改动位置；不明确时为空。",
    "Why it was judged so.": "判断的理由。",
    "How many of each.": "各类的数量。",
    "Features of which nothing is there yet.": "代码中尚不存在的功能点数。",
    "Features that change what is there.": "需要修改已有代码的功能点数。",
    "Features without evidence.": "没有证据的功能点数。",
    "The repositories that come into question, the likeliest first.": (
        "仓库路由候选，最可能的在前。"
    ),
    "The plan by repository and module; only when completed.": (
        "按仓库与模块的结构化方案（`completed` 时才有）。"
    ),
    "The repositories that the work is done in.": "要在其中开发的仓库。",
    "Its purpose; empty without evidence.": "职责；没有证据时为空。",
    "Why the work belongs into it.": "应在其中开发的理由。",
    "What has to be changed in it, in order.": "要做的改动，按顺序。",
    "The features by module.": "按模块的功能点。",
    "The module; empty for features without one.": "模块；没有模块的功能点为空。",
    "Its features.": "其中的功能点。",
    "The whole plan as text; only when completed.": "完整技术方案正文（`completed` 时才有）。",
    "Id of the stored plan; only when completed.": "沉淀的产物版本 ID（`completed` 时才有）。",
    "How many features were found.": "功能点数量。",
    "True when the list was longer than what is planned at once.": ("清单过长而被截断时为 true。"),
    "The project that it belongs to; absent for a text alone.": (
        "定位到的项目；只给出文本时没有此字段。"
    ),
    "Where the list was taken from.": "取数来源。",
    "Why it failed; only when failed.": "结构化错误（`failed` 时才有）。",
    "What kind of failure it was.": "错误的类别。",
    "What went wrong.": "出错的详情。",
    "`session_id` of `create_feature_tech_plan`.": (
        "`create_feature_tech_plan` 返回的 `session_id`。"
    ),
    "The answers; a question without one keeps what is recommended. At most 50.": (
        "答复；未作答的问题采用推荐项。最多 50 条。"
    ),
    "The question that it answers, as its creation has named it.": (
        "所答的问题，用创建时给出的 ID。"
    ),
    "The values of the chosen options; at most 50.": "所选选项的值，最多 50 个。",
    "The answer in words, at most 4,000 characters.": "文字答复，最多 4,000 个字符。",
}
"""By the English sentence, so that a sentence that changes is missed here and a test says so."""
