# SPDX-License-Identifier: BSD-3-Clause
"""
Usage: dap_client.py PROGRAM SCRIPT FUNCTION

Runs a program under GDB as an editor does, by the Debug Adapter Protocol, with SCRIPT sourced, until it calls FUNCTION. Prints the
arguments and locals of its caller, and what the commands read from standard input say, as the editor shows them.
"""

import json
import subprocess
import sys

CALLER = 1  # frame 0 is FUNCTION


class Adapter:
    def __init__(self, script):
        command = ["gdb", "-nx", "-q", "-i", "dap", "-iex", "set debuginfod enabled off", "-ex", "source " + script]
        self._gdb = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._n_sent = 0

    def _receive(self):
        n = 0
        for line in iter(self._gdb.stdout.readline, b""):
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                n = int(value)
        if not n:
            sys.exit("the adapter has ended")
        return json.loads(self._gdb.stdout.read(n))

    def send(self, command, **arguments):
        self._n_sent += 1
        body = json.dumps({"seq": self._n_sent, "type": "request", "command": command, "arguments": arguments}).encode()
        self._gdb.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._gdb.stdin.flush()
        return self._n_sent

    def wait(self, is_it):
        while True:
            message = self._receive()
            if is_it(message):
                return message

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        answer = self.wait(lambda m: m.get("type") == "response" and m.get("request_seq") == number)
        if not answer.get("success"):
            sys.exit("%s: %s" % (command, answer.get("message")))
        return answer.get("body") or {}


def main(program, script, function):
    adapter = Adapter(script)
    adapter.ask("initialize", adapterID="mpidbg")
    adapter.send("launch", program=program, args=[])
    adapter.ask("setFunctionBreakpoints", breakpoints=[{"name": function}])
    adapter.ask("configurationDone")
    event = adapter.wait(lambda m: m.get("event") in ("stopped", "terminated"))
    if event["event"] != "stopped":
        sys.exit("the program has ended")
    frames = adapter.ask("stackTrace", threadId=event["body"]["threadId"])["stackFrames"]
    frame = frames[CALLER]["id"]
    for scope in adapter.ask("scopes", frameId=frame)["scopes"]:
        if scope["name"] in ("Arguments", "Locals"):
            for variable in adapter.ask("variables", variablesReference=scope["variablesReference"])["variables"]:
                print("%s = %s" % (variable["name"], variable["value"]))
    for line in sys.stdin:
        print(adapter.ask("evaluate", expression=line.strip(), frameId=frame, context="repl").get("result"))
    adapter.ask("disconnect", terminateDebuggee=True)


main(*sys.argv[1:])
