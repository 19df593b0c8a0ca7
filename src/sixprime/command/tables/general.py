"""Help, history and the end."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.options import Options
from sixprime.command.tree import ROOT, command
from sixprime.command.words import Prompt, Refused, Words


@command("help|?", "Say what a command does, or list the commands", "[command]")
def help_(call: Call) -> None:
    node, words = ROOT, Words(call.words.all())
    while (word := words.next()) is not None:
        found = node.find(word)
        if found is None and node.argument is not None and call.player(word) is not None:
            continue
        if found is None:
            raise Refused(f"No help available for topic `{word}'")
        node = found
    if node is not ROOT:
        call.say(f"{node.name} - {node.text or 'A group of commands'}\n")
        call.say(f"Usage: {node.form}{' <subcommand>' if node.children and not node.run else ''} {node.usage}".rstrip())
    if node.children:
        call.say("Available subcommands:" if node is not ROOT else "Available commands:")
    for child in node.order:
        if not child.hidden:
            call.say(f"{child.word:<15}\t{child.text}")


@command("quit|exit", "Leave the program")
def quit_(call: Call) -> None:
    confirm = call.options.confirm
    asks = call.state.playing and confirm.new and confirm.default == "ask"
    if not asks or call.sure("Are you sure you want to leave, and discard the game in progress?", at_end=True):
        call.shell.ended = True


@command("history", "Show the commands given so far")
def history(call: Call) -> None:
    for number, line in enumerate(call.shell.history, 1):
        call.say(f"{number:5}  {line}")


@command("set prompt", "Choose the prompt; \\p is the player on roll, \\v the version, \\n the number", "<prompt>")
def set_prompt(call: Call, prompt: Prompt = "") -> None:
    prompt = prompt if prompt.strip() else Options().prompt
    call.put("prompt", prompt)
    call.say(f"The prompt has been set to `{prompt}'.")
