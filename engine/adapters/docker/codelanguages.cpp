// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "codelanguages.h"

#include "texts.h"

#include <sandboxio/core/path.h>

#include <algorithm>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// Runs the file in __main__ and takes it away first. Tracebacks name "<cell>", show its lines and begin there.
// Standard input is the program's. For CPython 3.8 and newer.
constexpr const char *pythonBootstrap = R"python(
def _sandboxio_run():
    import linecache, os, sys
    path = sys.argv[1]
    with open(path, 'rb') as file:
        source = file.read()
    os.unlink(path)
    sys.argv = ['']
    main = sys.modules['__main__'].__dict__
    main.pop('_sandboxio_run', None)
    lines = source.decode('utf-8', 'replace').splitlines(True)
    linecache.cache['<cell>'] = (len(source), None, lines, '<cell>')
    try:
        exec(compile(source, '<cell>', 'exec', dont_inherit=True), main)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
_sandboxio_run()
)python";

// The same for node: a CommonJS main module in the working directory, or the body of an asynchronous function where it
// has `await` outside of functions. For Node 18 and newer.
constexpr const char *nodeBootstrap = R"node(
{
    const fs = require('fs'), Module = require('module'), path = require('path');
    const file = process.argv[1];
    const source = fs.readFileSync(file, 'utf8').replace(/^#!.*/, '');
    fs.unlinkSync(file);
    process.argv.length = 1;
    const main = new Module('.');
    main.filename = path.join(process.cwd(), '<cell>');
    main.paths = Module._nodeModulePaths(process.cwd());
    process.mainModule = main;
    const isModule = (text) => {
        try {
            return new (require('vm').Script)(Module.wrap(text)) !== null;
        } catch {
            return false;
        }
    };
    const inFunction = '(async () => {' + source + '\n})()';
    main._compile(!isModule(source) && isModule(inFunction) ? inFunction : source, main.filename);
}
)node";

constexpr const char *usualSearchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

} // namespace

const QList<CodeLanguage> &codeLanguages()
{
    static const QList<CodeLanguage> languages = {
        {u"python"_s, u"python3"_s, {u"python3"_s, u"py"_s}},
        {u"bash"_s, u"bash"_s, {}},
        {u"javascript"_s, u"node"_s, {u"node"_s, u"nodejs"_s, u"js"_s}}};
    return languages;
}

QString languageNamed(const QString &name)
{
    const QString wanted = name.trimmed().toLower();
    const auto known = std::ranges::find_if(codeLanguages(), [&wanted](const CodeLanguage &language) {
        return language.name == wanted || language.otherNames.contains(wanted);
    });
    return known == codeLanguages().end() ? name : known->name;
}

QByteArrayList searchDirectories(const QString &searchPath)
{
    const QByteArray path = searchPath.isEmpty() ? QByteArray(usualSearchPath) : encodePath(searchPath);
    QByteArrayList directories = path.split(':');
    directories.removeIf([](const QByteArray &directory) { return !directory.startsWith('/'); });
    return directories;
}

std::vector<std::string> codeArguments(const QString &language, const std::string &path)
{
    if (language == u"python"_s)
        return {"python3", "-u", "-c", pythonBootstrap, path};
    if (language == u"javascript"_s)
        return {"node", "-e", nodeBootstrap, path};
    const auto known = std::ranges::find(codeLanguages(), language, &CodeLanguage::name);
    Q_ASSERT(known != codeLanguages().end());
    return {known->program.toStdString(), path};
}

ErrorInfo unknownLanguage(const QString &language, const QStringList &available)
{
    if (available.isEmpty()) {
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("Code cannot be run in this sandbox: its image has no interpreter."),
                         Text::tr("Create the sandbox from an image with one, for example python:3.12-slim."));
    }
    const auto known = std::ranges::find(codeLanguages(), language, &CodeLanguage::name);
    const QString list = available.join(u", "_s);
    if (known == codeLanguages().end()) {
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("The language \"%1\" is not known.").arg(language),
                         Text::tr("This sandbox runs: %1.").arg(list));
    }
    return makeError(
        ErrorKind::ConfigurationError,
        Text::tr("The image of this sandbox has no %1, so it cannot run %2.").arg(known->program, language),
        Text::tr("Use an image that has it. This sandbox runs: %1.").arg(list));
}

} // namespace Sandboxio::Docker
