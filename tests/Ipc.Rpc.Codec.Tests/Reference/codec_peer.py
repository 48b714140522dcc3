#!/usr/bin/env python3
"""Reads and writes messages as Python's classes do, for Ipc.Rpc.Codec.Tests: the twin of tests/peers/cpp/codec_peer.cpp.

usage: codec_peer.py FILE.proto     protoc makes the classes when it starts
       codec_peer.py --check        ends with 0 where Python has protobuf

Requests on stdin: the length of a message's full name, the name, the length of the payload, the payload. For each one answer on
stdout: one byte, 1 for "a message" and 0 for "not a message"; after a 1 the length and the bytes of the same message, written again
with the entries of maps in order of their keys. Lengths are 32-bit numbers of this machine. Ends with code 0 at the end of stdin.
"""
import importlib
import os
import struct
import subprocess
import sys
import tempfile

# As the distribution has it, in C. The one that is written in Python is no witness: it takes long tags for unknown fields, and has one NaN.
os.environ.pop("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", None)


def classes(proto):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "--python_out=" + folder, "-I", os.path.dirname(proto), proto], check=True)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        return importlib.import_module(os.path.splitext(os.path.basename(proto))[0] + "_pb2")


def read(size):
    data = sys.stdin.buffer.read(size)
    if len(data) != size:
        sys.exit("codec_peer.py: a request is cut short")
    return data


def rewritten(message, payload):
    """The bytes of the message; None when the payload is none."""
    try:
        message.ParseFromString(payload)
        return message.SerializeToString(deterministic=True)
    except Exception as error:  # the parser lets ValueError, struct.error, RecursionError and others through
        if os.environ.get("CODEC_PEER_VERBOSE"):
            print("codec_peer.py:", repr(error), file=sys.stderr)
        return None


def main():
    try:
        import google.protobuf  # noqa: F401
    except ImportError:
        sys.exit("codec_peer.py: no protobuf here (Debian: python3-protobuf)")
    if sys.argv[1] == "--check":
        return

    module = classes(os.path.abspath(sys.argv[1]))
    if not os.environ.get("CODEC_PEER_VERBOSE"):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what is refused is told by the answer
    while True:
        head = sys.stdin.buffer.read(4)
        if not head:
            return
        name = read(struct.unpack("=I", head)[0]).decode("ascii")
        payload = read(struct.unpack("=I", read(4))[0])
        answer = rewritten(getattr(module, name.rsplit(".", 1)[1])(), payload)
        sys.stdout.buffer.write(b"\0" if answer is None else b"\1" + struct.pack("=I", len(answer)) + answer)
        sys.stdout.buffer.flush()


main()
