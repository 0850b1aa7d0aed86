# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
"""The persistent interpreter of a python context; see README.md in this folder for what it says and hears.

Runs on CPython 3.8 and newer with nothing installed. What a cell prints goes to the real descriptors 1 and 2; commands
and answers go over a socket that cells do not see.
"""

import sys

_path = sys.path[:]
sys.path[:] = [folder for folder in _path if folder]  # a json.py of the user is for the user

import ast
import base64
import builtins
import fcntl
import importlib.util
import io
import json
import linecache
import os
import signal
import socket
import threading
import traceback

try:
    import ctypes

    flush_c_streams = ctypes.CDLL(None).fflush
except Exception:  # it is an optional part
    flush_c_streams = bool
sys.path[:] = _path

CONTROL = 3  # where the socket is at the start
OUT_OF_THE_WAY = 64  # the first descriptor for what cells must not meet
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
# Who has this has every method, as a mock does, and means none of them; the name is IPython's.
CANARY = "_ipython_canary_method_should_not_exist_"
BINARY_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")


class Control:
    """The socket. Its forked copies are closed: a child cannot answer in place of the interpreter."""

    def __init__(self):
        descriptor = fcntl.fcntl(CONTROL, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
        os.close(CONTROL)
        self.socket = socket.socket(fileno=descriptor)
        self.buffer = b""
        self.process = os.getpid()
        self.lock = threading.RLock()  # a signal handler may show something too

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

    def send(self, compose, payload=b""):
        """Sends a message whole, or none when `compose` gives no words for it. Nobody else sends and no signal comes
        to this thread from `compose` on: the kernel takes a message of any length at once then."""
        if os.getpid() != self.process:
            return
        with self.lock:
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            try:
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                words = compose()
                if words:
                    head = " ".join(str(word) for word in words) + " %d\n" % len(payload)
                    self.socket.sendall(head.encode("ascii") + payload)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Interrupts:
    """SIGINT: raises in a running cell, is kept for one that is just starting, and is nothing between cells. A handler
    that a cell sets is in force while cells run."""

    def __init__(self):
        self.armed = False
        self.pending = False
        self.installed = False  # the handler of cells
        self.handler = self.arrived
        signal.signal(signal.SIGINT, self.arrived)

    def expect_cell(self):
        self.pending = False

    def begin_cell(self):
        self.installed = True
        signal.signal(signal.SIGINT, self.handler)
        self.armed = True
        if self.pending:
            self.pending = False
            if callable(self.handler):
                self.handler(signal.SIGINT, None)

    def end_cell(self):
        """Nothing is raised from then on; until then the handler of a cell may do so."""
        self.armed = False
        while self.installed:
            try:
                self.handler = signal.signal(signal.SIGINT, self.arrived) or self.arrived
                self.installed = False
            except BaseException:
                pass

    def arrived(self, number, frame):
        if self.armed:
            raise KeyboardInterrupt
        self.pending = True


def encoded(mime, value):
    """What goes over the wire: text, or an object whose base64 holds bytes."""
    if mime in BINARY_TYPES and isinstance(value, str):
        value = base64.b64decode("".join(value.split()), validate=True)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(bytes(value)).decode("ascii")}
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode("utf-8")


def is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, getattr(figure, "Figure", ()))


def figure_png(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def offers_formats(value):
    try:
        return not isinstance(value, type) and getattr(value, CANARY, None) is None
    except Exception:
        tell()
        return False


def formats_of(value):
    """The value in the formats it offers by the usual protocols. One that raises is told and left out."""
    bundle = {}

    def method_of(name):
        method = attempt(lambda: getattr(value, name, None))
        return method if callable(method) else None

    def add(mime, data):
        if not isinstance(mime, str) or "/" not in mime:
            attempt(lambda: print("The format %r of a result is no MIME type and is left out." % (mime,),
                                  file=sys.stderr))
        elif data is not None and mime not in bundle:
            text = attempt(lambda: encoded(mime, data))
            if text is not None:
                bundle[mime] = text

    if offers_formats(value):
        method = method_of("_repr_mimebundle_")
        found = attempt(lambda: method(include=None, exclude=None)) if method else None
        found = found[0] if isinstance(found, tuple) and found else found
        for mime, data in found.items() if isinstance(found, dict) else ():
            add(mime, data)
        for name, mime in METHODS:
            method = method_of(name) if mime not in bundle else None
            found = attempt(method) if method else None
            add(mime, found[0] if isinstance(found, tuple) and found else found)  # the other is metadata
        to_json = method_of("to_json") if method_of("to_plotly_json") else None
        if to_json and "application/vnd.plotly.v1+json" not in bundle:
            add("application/vnd.plotly.v1+json", attempt(to_json))
        if is_figure(value) and "image/png" not in bundle:
            add("image/png", attempt(lambda: figure_png(value)))
    if "text/plain" not in bundle:
        bundle["text/plain"] = encoded("text/plain", repr(value))
    return bundle


def tell():
    """Tells of the exception that is handled, if there is still a way to."""
    try:
        traceback.print_exc()
    except BaseException:
        pass


def attempt(function, caught=Exception):
    try:
        return function()
    except caught:
        tell()
        return None


def is_open(stream):
    """A stream of a cell that only writes is one too."""
    try:
        return stream is not None and not getattr(stream, "closed", False)
    except BaseException:  # it is detached
        return False


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
        self.outputs = [self.keep(1), self.keep(2)]
        self.flags = 0
        self.count = 0
        self.cell = 0
        self.shown = 0
        self.loop = None
        self.figures_shown = []
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
        self.control.send(lambda: ["ready"], sys.version.split()[0].encode())
        while True:
            try:
                words, payload = self.control.receive()
                if words[0] == "run":
                    self.run(int(words[1]), payload)
            except BaseException:
                tell()  # of a signal handler that a cell has set

    def keep(self, descriptor):
        """A copy and the identity of a standard descriptor, to mend what a cell closed or sent elsewhere."""
        copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
        return descriptor, copy, os.fstat(copy).st_ino

    def mend(self):
        for descriptor, copy, inode in self.outputs:
            try:
                same = os.fstat(descriptor).st_ino == inode
            except OSError:
                same = False
            if not same:
                attempt(lambda: os.dup2(copy, descriptor, inheritable=True), BaseException)
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            if not is_open(getattr(sys, name, None)):
                raw = io.FileIO(descriptor, "wb", closefd=False)
                errors = "backslashreplace" if descriptor == 2 else "surrogateescape"
                stream = io.TextIOWrapper(raw, "utf-8", errors, write_through=True)
                setattr(sys, name, stream)
                setattr(sys, "__%s__" % name, stream)
        if not is_open(getattr(sys, "stdin", None)):
            sys.stdin = io.open(os.devnull)

    def flush(self):
        for name in ("stdout", "stderr"):
            try:
                getattr(sys, name).flush()
            except BaseException:
                pass
        flush_c_streams(None)

    def run(self, cell, source):
        self.shown = 0
        self.count += 1
        self.interrupts.expect_cell()
        attempt(self.mend, BaseException)
        self.say("started", cell, [cell])
        code, error = 1, ""
        try:
            code, error = self.outcome(source, "<cell %d>" % self.count)
            self.flush()
        except BaseException:
            self.interrupts.end_cell()
            tell()
        if os.getpid() != self.control.process:
            os._exit(code)  # a child that came to the end of its parent's cell
        self.say("end", 0, [cell, code], error.encode("utf-8", "replace"))

    def say(self, word, cell, numbers, payload=b""):
        """Tells that a cell starts or ends. It is the one that runs, or 0 for none, from its message on."""
        def compose():
            self.cell = cell
            return [word] + numbers

        while self.cell != cell:
            attempt(lambda: self.control.send(compose, payload), BaseException)

    def outcome(self, source, name):
        """Runs a cell: its exit code and the name of the exception that ended it."""
        try:
            try:
                self.interrupts.begin_cell()
                self.execute(source, name)
            finally:
                self.interrupts.end_cell()
        except BaseException as problem:
            self.interrupts.end_cell()  # what came to the first of these may have been a signal
            try:
                return self.report(problem)
            except BaseException:
                return 1, type(problem).__name__
            finally:
                attempt(self.show_figures, BaseException)
        return 0, ""

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
            attempt(lambda: sys.__excepthook__(type(problem), problem, trace), BaseException)
        return 130 if isinstance(problem, KeyboardInterrupt) else 1, name

    def display(self, *values):
        """Shows values in the richest formats they have."""
        for value in values:
            if is_figure(value):
                self.figures_shown.append(value)
            self.send_bundle(formats_of(value))

    def send_bundle(self, bundle):
        if not bundle:
            return
        payload = json.dumps(bundle).encode("utf-8", "replace")
        if len(payload) > LARGEST_OUTPUT or self.shown + len(payload) > MOST_OUTPUT:
            print("A result of %d bytes is too large to be shown (at most %d each and %d in a cell)."
                  % (len(payload), LARGEST_OUTPUT, MOST_OUTPUT), file=sys.stderr)
            return
        cell = 0

        def compose():
            nonlocal cell
            cell = self.cell  # of another thread it may have ended meanwhile
            return ["output", cell] if cell else None

        self.shown += len(payload)
        self.control.send(compose, payload)
        if not cell:
            print("Nothing can be shown outside of a cell.", file=sys.stderr)

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
        shown, self.figures_shown = self.figures_shown, []
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            try:
                if not any(figure is other for other in shown):
                    self.send_bundle(formats_of(figure))
            finally:
                pyplot.close(figure)


def refuse_input(prompt=""):
    raise RuntimeError("input() cannot ask anybody in a context: put the value into the code, "
                       "or run the program without a context and with its standard input")


if sys.version_info < (3, 8):
    sys.exit("a python context needs CPython 3.8 or newer, this is " + sys.version.split()[0])
Interpreter().serve()
