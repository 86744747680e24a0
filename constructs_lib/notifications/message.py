"""The shape of every message to the alarm topic that is not of an alarm or a budget.

It is the custom notification of Amazon Q Developer in chat applications, which drops every other text without a word. Programs
read ``metadata.additionalContext``, whose values are texts: https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html.
"""

from collections.abc import Mapping

Message = dict[str, object]


def message(
    title: str, description: str, *, next_step: str | None = None, context: Mapping[str, str]
) -> Message:
    """Return a message as plain data; a text may name values that EventBridge or Step Functions put into it."""
    content = {"textType": "client-markdown", "title": title, "description": description}
    return {
        "version": "1.0",
        "source": "custom",
        "content": content | ({} if next_step is None else {"nextSteps": [next_step]}),
        "metadata": {"additionalContext": dict(context)},
    }
