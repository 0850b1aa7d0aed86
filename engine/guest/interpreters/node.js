// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// The persistent interpreter of a javascript context; see README.md in this folder for what it says and hears.
// nodecells.js and this are the body of one function of `require` and `importModule`, for Node 18 and newer with nothing
// installed. Node is started with --expose-internals for the parser that it has for its own prompt, and with
// --no-force-async-hooks-checks, without which the end of a busy callback would be the end of the process.
'use strict';

const fs = require('fs');
const { writeSync } = fs;
const util = require('util');
const { Writable } = require('stream');
const { Worker } = require('worker_threads');

const CONTROL = 3;
const LARGEST_OUTPUT = 16 * 1024 * 1024;
const MOST_OUTPUT = 64 * 1024 * 1024; // of one cell
const BINARY_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];
const METHODS = [
    [Symbol.for('Jupyter.display'), null], // a bundle
    ['_toMime', null],
    ['_toHtml', 'text/html'],
    ['_toSvg', 'image/svg+xml'],
    ['_toPng', 'image/png'],
    ['_toJpeg', 'image/jpeg'],
];
const { Buffer, process, setImmediate } = globalThis; // cells may have others
const { isPromise } = util.types;
// Shared with the listener: the last interrupt that was heard, the last that ended what ran, and whether a message is
// being written.
const HEARD = 0, BROKEN = 1, WRITING = 2;
const shared = new Int32Array(new SharedArrayBuffer(12));
const pause = new Int32Array(new SharedArrayBuffer(4));

// The descriptor may have become a non-blocking one by somebody who shares it.
function writeAll(descriptor, bytes) {
    for (let start = 0, wait = 0.05; start < bytes.length;) {
        try {
            start += writeSync(descriptor, bytes, start);
            wait = 0.05;
        } catch (error) {
            if (error.code !== 'EAGAIN')
                throw error;
            Atomics.wait(pause, 0, 0, wait);
            wait = Math.min(wait * 2, 5);
        }
    }
}

function send(words, payload = Buffer.alloc(0)) {
    shared[WRITING] = 1;
    writeAll(CONTROL, Buffer.concat([Buffer.from(`${words.join(' ')} ${payload.length}\n`), payload]));
    shared[WRITING] = 0;
}

// Writes at once, whatever an interrupt or a cell that ended the stream has left: nothing waits, nothing gets lost.
class Output extends Writable {
    constructor(descriptor) {
        super({ decodeStrings: false, autoDestroy: false, emitClose: false });
        this.fd = descriptor;
        this.untold = null;
    }
    write(chunk, encoding, callback) {
        if (typeof encoding === 'function')
            [encoding, callback] = [undefined, encoding];
        if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk))
            throw new TypeError('The "chunk" argument must be of type string or an instance of Buffer');
        writeAll(this.fd, typeof chunk === 'string'
            ? Buffer.from(chunk, encoding) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        if (typeof callback === 'function')
            this.tellLater(callback);
        return true;
    }
    // A loop that prints has one for all.
    tellLater(callback) {
        if (this.untold?.callback === callback) {
            ++this.untold.count;
            return;
        }
        const untold = this.untold = { callback, count: 1 };
        process.nextTick(() => {
            if (this.untold === untold)
                this.untold = null;
            for (; untold.count > 0; --untold.count)
                callback();
        });
    }
    end(chunk, encoding, callback) {
        if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
            this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
        return super.end([chunk, encoding, callback].find((one) => typeof one === 'function'));
    }
    destroy() {
        return this;
    }
}

const errors = new Output(2);

function tell(text) {
    try {
        errors.write(text.endsWith('\n') ? text : `${text}\n`);
    } catch { // there is no way to
    }
}

// ---- What a cell shows

function encoded(mime, value) {
    if (BINARY_TYPES.includes(mime) && typeof value === 'string') {
        if (!/^[A-Za-z0-9+/\s]*=?\s*=?\s*$/.test(value))
            throw new TypeError(`what is given as ${mime} is no base64`);
        return { base64: value.replace(/\s+/g, '') };
    }
    if (ArrayBuffer.isView(value))
        return { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return typeof text === 'string' ? Buffer.from(text).toString() : null;
}

function attempt(action) {
    try {
        return action();
    } catch (error) {
        tell(reportOf(error));
        return undefined;
    }
}

const isOffer = (data) => data !== undefined && data !== null;

function bundleOf(offers, plain) {
    const bundle = {};
    const add = (mime, data) => {
        if (!mime.includes('/')) {
            tell(`The format '${mime}' of a result is no MIME type and is left out.`);
            return;
        }
        const text = isOffer(data) && !(mime in bundle) ? attempt(() => encoded(mime, data)) : null;
        if (isOffer(text))
            bundle[mime] = text;
    };
    for (const [mime, data] of offers) {
        if (mime)
            add(mime, data);
        else if (data && typeof data === 'object') // several
            Object.keys(data).forEach((one) => add(one, data[one]));
    }
    return { 'text/plain': plain, ...bundle };
}

/** The value in the formats it offers by the usual protocols, or a promise of them. One that raises is told and left
    out. */
function formatsOf(value) {
    const plain = Buffer.from(util.inspect(value)).toString();
    const offers = [];
    for (const [name, mime] of value !== null && typeof value === 'object' ? METHODS : []) {
        const method = attempt(() => value[name]);
        const data = typeof method === 'function' ? attempt(() => method.call(value)) : null;
        if (isOffer(data))
            offers.push([mime, data]);
    }
    if (!offers.some(([, data]) => isPromise(data)))
        return bundleOf(offers, plain);
    const arriving = offers.map(async ([mime, data]) => {
        try {
            return [mime, await data];
        } catch (error) {
            tell(reportOf(error));
            return [mime, null];
        }
    });
    return Promise.all(arriving).then((arrived) => bundleOf(arrived, plain));
}

function sendBundle(cell, bundle) {
    const payload = Buffer.from(JSON.stringify(bundle));
    if (!cell || current !== cell) {
        tell('Nothing can be shown outside of a cell.');
    } else if (payload.length > LARGEST_OUTPUT || cell.shown + payload.length > MOST_OUTPUT) {
        tell(`A result of ${payload.length} bytes is too large to be shown ` +
            `(at most ${LARGEST_OUTPUT} each and ${MOST_OUTPUT} in a cell).`);
    } else {
        cell.shown += payload.length;
        send(['output', cell.id], payload);
    }
}

/** Shows a value, in its turn; a promise when that is later. */
function show(cell, value) {
    const bundle = formatsOf(value);
    if (!cell?.showing && !isPromise(bundle))
        return sendBundle(cell, bundle);
    const before = cell?.showing;
    const showing = Promise.all([bundle, before]).then(([arrived]) => {
        sendBundle(cell, arrived);
        if (cell?.showing === showing)
            cell.showing = null;
    });
    if (cell)
        cell.showing = showing;
    return showing;
}

// ---- Running cells

let current = null;
let count = 0;
const sources = new Map(); // of cells, by name

/** The text without the stack frames of this file and of what called it. */
function withoutOurs(text) {
    const kept = [];
    let dropping = false;
    for (const line of text.split('\n')) {
        const isFrame = /^\s+at /.test(line);
        if (isFrame && line.includes('<sandboxio>')) {
            while (kept.length && /^\s+at .*\(node:vm:/.test(kept[kept.length - 1]))
                kept.pop();
            dropping = true;
        }
        dropping &&= isFrame;
        if (!dropping)
            kept.push(line);
    }
    return kept.join('\n');
}

/** The line of a cell that the first frame in `text` names. A syntax error comes with its own. */
function lineOf(text) {
    const [, name, number] = /^ +at .*?(<cell \d+>):(\d+)/m.exec(text) ?? [];
    const line = sources.get(name)?.split('\n')[number - 1];
    return line === undefined ? '' : `${name}:${number}\n${line}\n\n`;
}

function reportOf(error) {
    try {
        const text = withoutOurs(util.inspect(error));
        const isError = util.types.isNativeError(error) || error instanceof Error;
        return isError ? lineOf(text) + text : `Uncaught ${text}`;
    } catch {
        return 'Uncaught exception, which cannot be shown';
    }
}

function nameOf(error) {
    try {
        return String(error?.name ?? typeof error);
    } catch {
        return 'Error';
    }
}

function end(cell, code, name) {
    if (current !== cell)
        return;
    current = null;
    send(['end', cell.id, code || (cell.failure === null ? 0 : 1)], Buffer.from(name || cell.failure || ''));
}

// What was thrown without anybody to catch it is told before the cell ends.
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function execute(cell, source) {
    try {
        let result = evaluate(cell.name, source);
        if (isPromise(result))
            result = await result;
        if (isPromise(result?.value))
            result = { value: await result.value };
        if (result && result.value !== undefined)
            show(cell, result.value);
        await cell.showing;
    } catch (error) {
        tell(reportOf(error));
        await turn();
        return end(cell, 1, nameOf(error));
    }
    await turn();
    return end(cell, 0, '');
}

function uncaught(error) {
    tell(reportOf(error));
    if (current)
        current.failure ??= nameOf(error);
}

// The signal comes with each interrupt, for children and for handlers of cells; it is the message that ends a cell.
function ignoreSignal() {
}

function keepListeners() {
    for (const [event, listener] of [['SIGINT', ignoreSignal], ['uncaughtException', uncaught]]) {
        if (!process.listeners(event).includes(listener))
            process.on(event, listener);
    }
}

function run(id, code, serial) {
    Atomics.store(shared, HEARD, serial);
    keepListeners();
    current = { id, name: `<cell ${++count}>`, shown: 0, showing: null, failure: null };
    const source = Buffer.from(code).toString();
    sources.set(current.name, source);
    send(['started', id]);
    execute(current, source);
}

function interrupt(id, serial) {
    const wasBroken = Atomics.load(shared, BROKEN) === serial;
    shared[WRITING] = 0;
    Atomics.store(shared, HEARD, serial);
    const cell = current;
    if (!cell || cell.id !== id || (!wasBroken && process.listenerCount('SIGINT') > 1)) // it has its own handler
        return;
    tell(wasBroken ? `Interrupted in ${cell.name}`
        : `Interrupted in ${cell.name}, while it waited; what it waited for goes on`);
    end(cell, 130, 'Interrupted');
}

// Hears the client in a thread of its own, so that a busy cell can be interrupted.
const LISTENER = `'use strict';
const { parentPort, workerData: shared } = require('worker_threads');
const HEARD = ${HEARD}, BROKEN = ${BROKEN}, WRITING = ${WRITING}, PATIENCE = 100;
let chunks = [], size = 0, head = null, serial = 0, interrupted = false;

function breakOff(mine) {
    if (Atomics.load(shared, HEARD) >= mine || mine !== serial)
        return;
    if (!Atomics.load(shared, WRITING)) {
        const session = new (require('inspector').Session)();
        session.connectToMainThread();
        Atomics.store(shared, BROKEN, mine);
        session.post('Runtime.terminateExecution');
        setTimeout(() => session.disconnect(), PATIENCE / 2);
        process.kill(0, 'SIGINT'); // it waits for a child
    }
    setTimeout(breakOff, PATIENCE, mine);
}

function handle([word, cell], payload) {
    ++serial;
    if (word === 'run')
        parentPort.postMessage([word, Number(cell), new Uint8Array(payload), serial]);
    else
        parentPort.postMessage([word, Number(cell), serial]);
    if (word !== 'run' || interrupted) // what an interrupted cell has left may not stand in the way
        setTimeout(breakOff, PATIENCE, serial);
    interrupted = word !== 'run';
}

function read() {
    for (;;) {
        let whole = null;
        if (!head) {
            if (!chunks.some((chunk) => chunk.includes(10)))
                return;
            whole = Buffer.concat(chunks);
            const at = whole.indexOf(10);
            head = whole.toString('latin1', 0, at).split(' ');
            whole = whole.subarray(at + 1);
            [chunks, size] = [[whole], whole.length];
        }
        const length = Number(head[head.length - 1]);
        if (size < length)
            return;
        whole = Buffer.concat(chunks);
        const [words, payload] = [head, whole.subarray(0, length)];
        head = null;
        whole = whole.subarray(length);
        [chunks, size] = [whole.length ? [whole] : [], whole.length];
        handle(words, payload);
    }
}

const gone = () => process.kill(process.pid, 'SIGKILL'); // nobody wants anything of it any more
new (require('net').Socket)({ fd: ${CONTROL}, readable: true, writable: false })
    .on('data', (chunk) => { chunks.push(chunk); size += chunk.length; read(); }).on('end', gone).on('error', gone);
parentPort.on('message', () => {}); // keeps it
`;

// ---- What cells find

function refuseQuestions(module) {
    const { prototype } = module.Interface;
    const { question } = prototype;
    prototype.question = function (...args) {
        if (this.input?.fd !== 0)
            return question.apply(this, args);
        throw new Error('question() cannot ask anybody in a context: put the value into the code, ' +
            'or run the program without a context and with its standard input');
    };
}

// The descriptors that this process lives by stay open.
function keepDescriptors() {
    const { close, closeSync } = fs;
    fs.closeSync = (descriptor) => (descriptor >= 0 && descriptor <= CONTROL ? undefined : closeSync(descriptor));
    fs.close = (descriptor, callback) => {
        if (descriptor >= 0 && descriptor <= CONTROL)
            process.nextTick(callback ?? (() => {}), null);
        else
            close(descriptor, callback);
    };
}

function hidden(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

function start() {
    if (Number(process.versions.node.split('.')[0]) < 18) {
        tell(`a javascript context needs Node 18 or newer, this is ${process.versions.node}`);
        process.exit(1);
    }
    process.execArgv = [];
    Object.defineProperty(process, 'stdout', { value: new Output(1), configurable: true, enumerable: true });
    Object.defineProperty(process, 'stderr', { value: errors, configurable: true, enumerable: true });
    refuseQuestions(require('readline'));
    refuseQuestions(require('readline/promises'));
    keepDescriptors();
    require('module').syncBuiltinESMExports();
    hidden(IMPORT, importModule);
    hidden('display', (...values) => values.map((value) => show(current, value)).find(isPromise));
    keepListeners();
    const listener = new Worker(LISTENER, { eval: true, workerData: shared, execArgv: [] });
    listener.on('message', ([word, id, ...what]) => (word === 'run' ? run(id, ...what) : interrupt(id, ...what)));
    send(['ready'], Buffer.from(process.versions.node));
}

start();
