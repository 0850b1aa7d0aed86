// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// The first half of the interpreter of a javascript context: from the source of a cell to the scripts that it is run as.
'use strict';

const vm = require('vm');

const IMPORT = '__import'; // takes the place of `import` in cells, which have no loader of their own in every version

function findParser() {
    try {
        return require('internal/deps/acorn/acorn/dist/acorn');
    } catch {
        return null; // cells run as they are then
    }
}

const acorn = findParser();

/** Calls `visit` with the nodes below `node` and itself; it returns whether to go on below that one. */
function walk(node, visit, parent = null) {
    if (!visit(node, parent))
        return;
    for (const key of Object.keys(node)) {
        for (const child of Array.isArray(node[key]) ? node[key] : [node[key]]) {
            if (child && typeof child.type === 'string')
                walk(child, visit, node);
        }
    }
}

const isFunction = (node) => /Function/.test(node.type);

function namesOf(pattern, names = []) {
    if (!pattern)
        return names;
    if (pattern.type === 'Identifier')
        names.push(pattern.name);
    const parts = { ObjectPattern: 'properties', ArrayPattern: 'elements' }[pattern.type];
    for (const part of parts ? pattern[parts] : [pattern.value || pattern.left || pattern.argument])
        namesOf(part, names);
    return names;
}

function applied(text, edits, start = 0, end = text.length) {
    let result = '';
    for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
        result += text.slice(start, edit.start) + edit.text;
        start = edit.end;
    }
    return result + text.slice(start, end);
}

const newlinesOf = (text) => text.replace(/[^\n]/g, '');

function importText(node, text) {
    const found = node.attributes || [];
    const attributes = found.map((one) => `${text.slice(one.key.start, one.key.end)}:${one.value.raw}`);
    const module = `await ${IMPORT}(${node.source.raw}${found.length ? `,{with:{${attributes}}}` : ''})`;
    const space = node.specifiers.find((one) => one.type === 'ImportNamespaceSpecifier');
    const named = node.specifiers.filter((one) => one !== space).map((one) =>
        `${one.imported ? JSON.stringify(one.imported.name ?? one.imported.value) : 'default'}:${one.local.name}`);
    const pattern = `{${named}}=${space ? space.local.name : module}`;
    const parts = [...(space ? [`${space.local.name}=${module}`] : []), ...(named.length ? [pattern] : [])];
    return `;(${parts.length ? parts : module});${newlinesOf(text.slice(node.start, node.end))}`;
}

/** Makes a declaration one of variables of the context (`asynchronous`: of assignments), without moving anything. */
function declarationEdits(node, parent, asynchronous, edits) {
    const { start, declarations } = node;
    const isHead = /^For/.test(parent.type) && parent.body !== node;
    let word = 'var';
    if (asynchronous && isHead)
        word = '';
    else if (asynchronous)
        word = ['Program', 'BlockStatement', 'SwitchCase'].includes(parent.type) ? ';(' : '(';
    edits.push({ start, end: start + node.kind.length, text: word.padStart(node.kind.length) });
    const last = declarations[declarations.length - 1];
    for (const one of declarations) {
        const needsValue = node.kind === 'let' && !one.init && !isHead;
        const closing = one === last && asynchronous && !isHead ? ')' : '';
        const stop = one === last && (word === ';(' || (needsValue && !asynchronous)) ? ';' : '';
        edits.push({ start: one.end, end: one.end, text: (needsValue ? '=void 0' : '') + closing + stop });
    }
}

/** The edits of one statement of a cell; adds the names that it declares for the context. */
function statementEdits(statement, program, text, asynchronous, names) {
    const edits = [];
    let depth = 0; // of functions
    const visit = (node, parent) => {
        if (node.type === 'ImportExpression')
            edits.push({ start: node.start, end: node.start + 'import'.length, text: IMPORT });
        if (node.type === 'VariableDeclaration' && depth === 0) {
            const isTop = parent === program;
            if (isTop || node.kind === 'var')
                node.declarations.forEach((one) => namesOf(one.id, names));
            if (asynchronous ? isTop || node.kind === 'var' : isTop && node.kind !== 'var')
                declarationEdits(node, parent, asynchronous, edits);
        }
        if (!isFunction(node) && node.type !== 'StaticBlock')
            return true;
        ++depth;
        for (const key of Object.keys(node)) {
            for (const child of [node[key]].flat())
                if (child && typeof child.type === 'string')
                    walk(child, visit, node);
        }
        --depth;
        return false;
    };
    walk(statement, visit, program);
    const { type, start, end } = statement;
    if (type === 'ClassDeclaration') {
        names.push(statement.id.name);
        edits.push({ start, end: start, text: `${asynchronous ? ';' : 'var '}${statement.id.name}=` },
                   { start: end, end, text: ';' });
    } else if (type === 'ImportDeclaration') {
        statement.specifiers.forEach((one) => names.push(one.local.name));
        edits.push({ start, end, text: importText(statement, text) });
    }
    return edits;
}

function hasAwait(program) {
    let found = false;
    walk(program, (node) => {
        found ||= node.type === 'AwaitExpression' || node.type === 'ImportDeclaration' ||
            (node.type === 'ForOfStatement' && node.await);
        return !isFunction(node);
    });
    return found;
}

function parse(text) {
    const options = { ecmaVersion: 'latest', allowAwaitOutsideFunction: true, allowHashBang: true };
    const attempt = (source, column) => {
        try {
            const program = acorn.parse(source, { ...options, allowImportExportEverywhere: true });
            return { text: source, program, column };
        } catch (problem) {
            return { problem };
        }
    };
    if (/^\s*\{/.test(text) && !/;\s*$/.test(text)) { // an object rather than a block
        const object = attempt(`(${text}\n)`, -1);
        if (object.program)
            return object;
    }
    return attempt(text, 0);
}

/** The scripts of a cell with `await` outside of functions: its functions first, then the rest, in a function. */
function asynchronousScripts({ text, program }, names) {
    const edits = [], scripts = [];
    const strict = program.body[0]?.directive === 'use strict' ? '"use strict";' : '';
    for (const statement of program.body) {
        const { type, start, end } = statement;
        const own = statementEdits(statement, program, text, true, names);
        if (type === 'FunctionDeclaration') {
            const before = text.slice(0, start).split('\n');
            scripts.push({ text: strict + applied(text, own, start, end), line: before.length - 1,
                           column: before[before.length - 1].length - strict.length });
            edits.push({ start, end, text: newlinesOf(text.slice(start, end)) });
        } else {
            edits.push(...own);
        }
    }
    const last = program.body[program.body.length - 1];
    if (last.type === 'ExpressionStatement') {
        const end = text[last.end - 1] === ';' ? last.end - 1 : last.end;
        edits.push({ start: last.start, end: last.start, text: ';return{value:(' }, { start: end, end, text: ')}' });
    }
    scripts.push({ text: `(async()=>{\n${applied(text, edits)}\n})()`, line: -1 });
    return scripts;
}

/** The scripts that a parsed cell is run as, one after the other, and what the last one is good for. */
function translate(parsed) {
    const { text, program, column } = parsed;
    const names = [];
    const last = program.body[program.body.length - 1];
    if (hasAwait(program))
        return { scripts: asynchronousScripts(parsed, names), names, isAsync: true };
    const edits = program.body.flatMap((one) => statementEdits(one, program, text, false, names));
    return { scripts: [{ text: applied(text, edits), column }], names,
             hasValue: last?.type === 'ExpressionStatement' };
}

function compiled(name, script) {
    return new vm.Script(script.text, {
        filename: name, lineOffset: script.line || 0, columnOffset: script.column || 0,
        ...(script.isForeign ? { importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER } : {}),
    });
}

/** What the parser found, as V8 tells it; that would speak of the function around the cell. */
function syntaxError(name, text, { message, loc }) {
    const error = new SyntaxError(message.replace(/ \(\d+:\d+\)$/, ''));
    error.stack = `${name}:${loc.line}\n${text.split('\n')[loc.line - 1]}\n${' '.repeat(loc.column)}^\n\n` +
        `SyntaxError: ${error.message}`;
    return error;
}

/** For what the parser does not know: as it is, or in a function when it has `await`. */
function untranslated(name, text, problem) {
    try {
        return { scripts: [compiled(name, { text, isForeign: true })], names: [], hasValue: true };
    } catch (error) {
        if (!/\bawait\b/.test(text))
            throw error;
    }
    try {
        const wrapped = { text: `(async()=>{\n${text}\n})()`, line: -1, isForeign: true };
        return { scripts: [compiled(name, wrapped)], names: [], isAsync: true };
    } catch (error) {
        throw problem?.loc ? syntaxError(name, text, problem) : error;
    }
}

// A name of Node itself is the cell's from its declaration on.
function declare(names, isAsync) {
    for (const name of names) {
        const known = Object.getOwnPropertyDescriptor(globalThis, name);
        if (known?.get && known.configurable)
            Object.defineProperty(globalThis, name, { value: globalThis[name], writable: true, configurable: true });
    }
    if (isAsync && names.length)
        new vm.Script(`var ${names}`).runInThisContext();
}

/** Runs a cell: undefined, an object with the value of its last expression, or a promise of either. */
function evaluate(name, source) {
    const parsed = acorn ? parse(source) : {};
    const { scripts, names, isAsync, hasValue } =
        parsed.program ? translate(parsed) : untranslated(name, source, parsed.problem);
    const ready = scripts.map((script) => (script instanceof vm.Script ? script : compiled(name, script)));
    declare(names, isAsync);
    let result;
    for (const script of ready)
        result = script.runInThisContext({ displayErrors: false });
    return isAsync ? result : hasValue ? { value: result } : undefined;
}
