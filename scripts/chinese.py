"""The Chinese of what settings and commands say in English, for README.zh.md."""

from typing import Final

CHINESE: Final = {
    # settings
    "the platform's data folder": "平台默认的数据文件夹",
    "Folder of the database, the host's identity and workspaces.": (
        "数据文件夹：数据库、主机标识和工作区。"
    ),
    "Address that the hub listens on.": "hub 监听的地址。",
    "Port that the hub listens on.": "hub 监听的端口。",
    "Database; empty means `ccweb.db` in the data folder.": (
        "数据库；留空表示数据文件夹中的 `ccweb.db`。"
    ),
    "Language of prompts and pages, `en` or `zh`.": "提示和页面的语言：`en` 或 `zh`。",
    "Address of the hub for `ccweb mcp` and `ccweb call`.": (
        "`ccweb mcp` 和 `ccweb call` 所连接的 hub 地址。"
    ),
    "Access token for `ccweb mcp` and `ccweb call`.": (
        "`ccweb mcp` 和 `ccweb call` 使用的访问令牌。"
    ),
    "Deepest chain of delegations.": "委派链的最大深度。",
    "Sends between two conversations that both initiate.": (
        "两个对话互相主动发送时，允许的消息总数。"
    ),
    "Turns in one chain without a message by a person.": ("没有人发消息时，一条链中允许的轮次数。"),
    "Largest message content.": "单条消息正文的上限（字节）。",
    "Largest continuation prompt.": "自动续跑提示的上限（字节）。",
    "Largest original request in that prompt.": "该提示中每条原始请求的上限（字节）。",
    "Attempts at a continuation that never began.": "从未真正开始的自动续跑最多尝试几次。",
    "Largest HTTP request body.": "HTTP 请求体的上限（字节）。",
    "Seconds after which a silent host loses a turn.": "主机失去响应多少秒后，失去其轮次。",
    "Seconds between two signs of life of a host.": "主机两次心跳之间的秒数。",
    "Seconds after which a request without a host returns.": (
        "没有主机可运行时，请求在多少秒后返回。"
    ),
    "Seconds between two sweeps of the delivery net; 0 is off.": (
        "兜底投递检查的间隔秒数；0 表示关闭。"
    ),
    "Seconds that an agent gets at each step of a stop.": ("停止智能体时，每一步给它的宽限秒数。"),
    "Seconds that a sign-in ticket is good for.": "登录票据的有效秒数。",
    "Seconds that a browser stays signed in.": "浏览器保持登录的秒数。",
    "Turns that one host runs at the same time.": "一台主机同时运行的轮次上限。",
    "Whether a cancelled task takes comments and metadata, `on` or `off`.": (
        "已取消的任务是否仍可添加评论和元数据，`on` 或 `off`。"
    ),
    "Program of Claude Code; empty finds `claude` in PATH, `off` has none.": (
        "Claude Code 的程序；留空则在 PATH 中找 `claude`，`off` 表示不用。"
    ),
    "Seconds that an agent's program is kept warm without a turn.": (
        "智能体程序在没有轮次时保留运行的秒数。"
    ),
    "Program of Codex; empty finds `codex` in PATH, `off` has none.": (
        "Codex 的程序；留空则在 PATH 中找 `codex`，`off` 表示不用。"
    ),
    "Address of Feishu Project, where work items come from.": "飞书项目的地址，工作项由此取得。",
    "Id of your plugin in Feishu Project; empty is none.": (
        "你在飞书项目中的插件 ID；留空表示不使用。"
    ),
    "Secret of that plugin.": "该插件的密钥。",
    "User key of the person in whose name the plugin reads.": (
        "插件以哪位用户的身份读取：其 user_key。"
    ),
    # commands
    "Run hub and host and print the address.": "启动 hub 和 host，并打印访问地址。",
    "Run the hub alone.": "只启动 hub。",
    "Run the agents of this machine.": "运行本机的智能体（host）。",
    "Speak MCP over standard input and output (CCWEB_URL, CCWEB_TOKEN).": (
        "通过标准输入输出提供 MCP（CCWEB_URL、CCWEB_TOKEN）。"
    ),
    "Call one tool.": "调用一个工具。",
    "Print a new token.": "打印一个新令牌。",
    "List the tokens.": "列出令牌。",
    "End a token.": "吊销一个令牌。",
    "Print a sign-in address.": "打印一个登录地址。",
    "Add a person.": "添加一个人。",
    "Set a person's password.": "设置某人的密码。",
    "Register a project.": "登记一个项目。",
    "List the projects.": "列出项目。",
    "Show a project with all that belongs to it.": "显示一个项目及其全部内容。",
    "Add a repository.": "添加一个仓库。",
    "Take a repository out.": "移出一个仓库。",
    "Replace the feature list.": "替换功能清单。",
    "Let a person read a project.": "让某人可以读取项目。",
    "Let a branch name a project.": "把分支关联到项目。",
    "Let a branch name no project.": "取消分支的关联。",
    "Plan the work items of a space in a project.": "把一个空间的工作项交给某个项目规划。",
    "Let a space belong to no project.": "取消空间与项目的关联。",
    "List the calls of one run.": "列出一次运行的全部调用。",
    "Show a whole delegation between demo agents, in about ten seconds.": (
        "用演示智能体展示一次完整的委派，约十秒。"
    ),
    "Check what ccweb needs on this machine.": "检查 ccweb 在本机所需的条件。",
}
"""By the English sentence, so that a sentence that changes is missed here and a test says so."""
