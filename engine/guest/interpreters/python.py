# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""The persistent interpreter of a python context; see README.md in this folder for what it says and hears.

Runs on CPython 3.8 and newer with nothing installed. What a cell prints goes to the real descriptors 1 and 2; commands
and answers go over a socket that cells do not see.
"""

import ast
import base64
import builtins
import io
import json
import linecache
import os
import signal
import socket
import sys
import threading
import traceback

CONTROL = 3  # where the socket is at the start
LARGEST_OUTPUT = 16 * 1024 * 1024
MOST_OUTPUT = 64 * 1024 * 1024  # of one cell
FUTURES = 0
for _name in __import__("__future__").all_feature_names:
    FUTURES |= getattr(__import__("__future__"), _name).compiler_flag

METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_latex_", "text/latex"),
    ("_repr_javascript_", "application/javascript"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_pdf_", "application/pdf"),
    ("_repr_json_", "application/json"),
)
BINARY_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")


class Control:
    """The socket. Its forked copies are closed: a child cannot answer in place of the interpreter."""

    def __init__(self):
        high = os.dup(CONTROL)  # not inherited by programs
        os.close(CONTROL)
        self.socket = socket.socket(fileno=high)
        self.buffer = b""
        self.process = os.getpid()
        self.lock = threading.Lock()

    def close_in_child(self):
        self.socket.close()

    def read_until(self, complete):
        while not complete():
            data = self.socket.recv(1 << 16)
            if not data:
                os._exit(0)  # nobody wants anything of it any more
            self.buffer += data

    def receive(self):
        """One message: its words and the bytes after them."""
        self.read_until(lambda: b"\n" in self.buffer)
        line = self.buffer[: self.buffer.index(b"\n")]
        words = line.decode("ascii").split()
        start = len(line) + 1
        end = start + int(words[-1])
        self.read_until(lambda: len(self.buffer) >= end)
        payload = self.buffer[start:end]
        self.buffer = self.buffer[end:]
        return words[:-1], payload

    def send(self, words, payload=b""):
        if os.getpid() != self.process:
            return
        head = " ".join(str(word) for word in words) + " %d\n" % len(payload)
        with self.lock:
            self.socket.sendall(head.encode("ascii") + payload)


class Interrupts:
    """SIGINT: raises in a running cell, is kept for one that is just starting, and is nothing between cells. A handler
    that a cell sets is in force while cells run."""

    def __init__(self):
        self.armed = False
        self.pending = False
        self.handler = self.arrived
        signal.signal(signal.SIGINT, self.arrived)

    def begin_cell(self):
        self.pending = False
        signal.signal(signal.SIGINT, self.handler)

    def end_cell(self):
        self.armed = False
        self.handler = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, self.arrived)

    def arrived(self, number, frame):
        if self.armed:
            raise KeyboardInterrupt
        self.pending = True

    def arm(self):
        self.armed = True
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt

    def disarm(self):
        self.armed = False


def encoded(mime, value):
    """What goes over the wire: text, or an object whose base64 holds bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(bytes(value)).decode("ascii")}
    if mime in BINARY_TYPES and isinstance(value, str):
        return {"base64": "".join(value.split())}
    return value if isinstance(value, str) else json.dumps(value)


def is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, getattr(figure, "Figure", ()))


def figure_png(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def formats_of(value):
    """The value in the formats it offers by the usual protocols. One that raises is told and left out."""
    bundle = {}
    if not isinstance(value, type):
        method = getattr(value, "_repr_mimebundle_", None)
        if callable(method):
            found = attempt(lambda: method(include=None, exclude=None))
            found = found[0] if isinstance(found, tuple) and found else found
            if isinstance(found, dict):
                bundle.update(found)
        for name, mime in METHODS:
            method = getattr(value, name, None)
            if mime in bundle or not callable(method):
                continue
            found = attempt(method)
            if isinstance(found, tuple) and found:  # with metadata
                found = found[0]
            if found is not None:
                bundle[mime] = found
        if callable(getattr(value, "to_plotly_json", None)) and callable(getattr(value, "to_json", None)):
            bundle.setdefault("application/vnd.plotly.v1+json", attempt(value.to_json))
        if is_figure(value):
            bundle.setdefault("image/png", attempt(lambda: figure_png(value)))
    if "text/plain" not in bundle:
        bundle["text/plain"] = repr(value)
    return {mime: encoded(mime, data) for mime, data in bundle.items() if data is not None}


def attempt(function):
    try:
        return function()
    except Exception:
        traceback.print_exc()
        return None


def without_ours(trace):
    """The traceback without the frames of this file."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    if trace is not None:
        trace.tb_next = without_ours(trace.tb_next)
    return trace


class AfterImport:
    """Calls functions with modules, by name, as soon as they have been imported."""

    def __init__(self, functions):
        self.functions = functions
        self.busy = False

    def find_spec(self, name, path=None, target=None):
        if name not in self.functions or self.busy:
            return None
        import importlib.util

        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.functions[name](module)

        spec.loader.exec_module = exec_module
        return spec


class Interpreter:
    def __init__(self):
        self.control = Control()
        self.process = os.getpid()
        self.outputs = [self.keep(1), self.keep(2)]
        self.flags = 0
        self.count = 0
        self.cell = 0
        self.shown = 0
        self.loop = None
        self.flush_c = None
        self.figures_shown = set()
        os.register_at_fork(after_in_child=self.control.close_in_child)
        self.namespace = sys.modules["__main__"].__dict__
        for name in [name for name in self.namespace if not name.startswith("__")]:
            del self.namespace[name]
        sys.argv = [""]
        builtins.input = refuse_input
        builtins.display = self.display
        os.environ.setdefault("MPLBACKEND", "agg")
        os.environ.setdefault("PLOTLY_RENDERER", "plotly_mimetype")
        sys.meta_path.insert(0, AfterImport({
            "matplotlib.pyplot": self.show_instead_of_pyplot,
            "plotly.basedatatypes": self.show_instead_of_plotly,
        }))
        self.interrupts = Interrupts()

    def serve(self):
        self.control.send(["ready"], sys.version.split()[0].encode())
        while True:
            try:
                words, payload = self.control.receive()
                if words[0] == "run":
                    self.run(int(words[1]), payload)
            except Exception:
                traceback.print_exc()  # of a signal handler that a cell has set

    def keep(self, descriptor):
        """A copy and the identity of a standard descriptor, to mend what a cell closed or sent elsewhere."""
        import fcntl

        copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64)
        return descriptor, copy, os.fstat(copy).st_ino

    def mend(self):
        for descriptor, copy, inode in self.outputs:
            try:
                same = os.fstat(descriptor).st_ino == inode
            except OSError:
                same = False
            if not same:
                os.dup2(copy, descriptor, inheritable=True)
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            if getattr(getattr(sys, name), "closed", True):
                raw = os.fdopen(descriptor, "wb", 0, closefd=False)
                errors = "backslashreplace" if descriptor == 2 else "surrogateescape"
                stream = io.TextIOWrapper(raw, "utf-8", errors, write_through=True)
                setattr(sys, name, stream)
                setattr(sys, "__%s__" % name, stream)
        if getattr(sys.stdin, "closed", True):
            sys.stdin = open(os.devnull)

    def flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        try:  # what C libraries hold back; ctypes may be missing
            if self.flush_c is None:
                import ctypes

                self.flush_c = ctypes.CDLL(None).fflush
            self.flush_c(None)
        except Exception:
            self.flush_c = bool

    def run(self, cell, source):
        self.cell = cell
        self.shown = 0
        self.count += 1
        self.mend()
        self.interrupts.begin_cell()
        self.control.send(["started", cell])
        code, error = 0, ""
        try:
            try:
                self.interrupts.arm()
                self.execute(source, "<cell %d>" % self.count)
            finally:
                self.interrupts.disarm()
        except BaseException as problem:
            self.interrupts.disarm()
            code, error = self.report(problem)
            attempt(self.show_figures)
        self.interrupts.end_cell()
        self.flush()
        if os.getpid() != self.process:
            os._exit(code)  # a child that came to the end of its parent's cell
        self.cell = 0
        self.control.send(["end", cell, code], error.encode("utf-8", "replace"))

    def execute(self, source, name):
        text = source.decode("utf-8")
        lines = io.StringIO(text, newline=None).readlines()
        linecache.cache[name] = (len(text), None, lines, name)
        tree = ast.parse(text, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self.evaluate(compile(tree, name, "exec", self.compile_flags(), True))
        if last is not None:
            expression = ast.Expression(last.value)
            value = self.evaluate(compile(expression, name, "eval", self.compile_flags(), True))
            line = lines[last.end_lineno - 1].encode("utf-8")
            hidden = line[last.end_col_offset:].lstrip().startswith(b";")
            if value is not None and not hidden:
                self.display(value)
        self.show_figures()

    def compile_flags(self):
        return self.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    def evaluate(self, code):
        self.flags |= code.co_flags & FUTURES
        result = eval(code, self.namespace)
        return self.wait_for(result) if code.co_flags & 0x80 else result  # CO_COROUTINE

    def wait_for(self, coroutine):
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            try:
                self.loop.run_until_complete(task)
            except asyncio.CancelledError as cancelled:  # tells where it was
                raise KeyboardInterrupt().with_traceback(cancelled.__traceback__) from None
            raise

    def report(self, problem):
        """Tells on stderr what ended the cell; its exit code and the name of the exception."""
        name = type(problem).__name__
        if isinstance(problem, SystemExit):
            if problem.code is None or isinstance(problem.code, int):
                return (problem.code or 0) & 0xFF, name
            print(problem.code, file=sys.stderr)
            return 1, name
        problem.__traceback__ = trace = without_ours(problem.__traceback__)
        hook = sys.excepthook
        if hook is sys.__excepthook__:
            hook = traceback.print_exception  # shows the lines of cells in all versions
        try:
            hook(type(problem), problem, trace)
        except BaseException:
            attempt(lambda: sys.__excepthook__(type(problem), problem, trace))
        return 130 if isinstance(problem, KeyboardInterrupt) else 1, name

    def display(self, *values):
        """Shows values in the richest formats they have."""
        for value in values:
            if is_figure(value):
                self.figures_shown.add(id(value))
            self.send_bundle(formats_of(value))

    def send_bundle(self, bundle):
        if not bundle:
            return
        if self.cell == 0 or os.getpid() != self.process:
            print("Nothing can be shown outside of a cell.", file=sys.stderr)
            return
        payload = json.dumps(bundle).encode("utf-8", "replace")
        if len(payload) > LARGEST_OUTPUT or self.shown + len(payload) > MOST_OUTPUT:
            print("A result of %d bytes is too large to be shown (at most %d each and %d in a cell)."
                  % (len(payload), LARGEST_OUTPUT, MOST_OUTPUT), file=sys.stderr)
            return
        self.shown += len(payload)
        armed = self.interrupts.armed and threading.current_thread() is threading.main_thread()
        if armed:  # a message goes whole
            self.interrupts.disarm()
        try:
            self.control.send(["output", self.cell], payload)
        finally:
            if armed:
                self.interrupts.arm()

    def show_instead_of_pyplot(self, module):
        def show(*arguments, **options):  # pyplot sets attributes of it, so it is no method
            self.show_figures()

        module.show = show

    def show_instead_of_plotly(self, module):
        def show(figure, *arguments, **options):
            self.display(figure)

        figure = getattr(module, "BaseFigure", None)
        if figure is not None:
            figure.show = show

    def show_figures(self):
        """Shows the open figures and closes them, as pyplot.show() and at the end of a cell."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if id(figure) not in self.figures_shown:
                self.send_bundle(formats_of(figure))
            pyplot.close(figure)
        self.figures_shown.clear()


def refuse_input(prompt=""):
    raise RuntimeError("input() cannot ask anybody in a context: put the value into the code, "
                       "or run the program without a context and with its standard input")


if sys.version_info < (3, 8):
    sys.exit("a python context needs CPython 3.8 or newer, this is " + sys.version.split()[0])
Interpreter().serve()
