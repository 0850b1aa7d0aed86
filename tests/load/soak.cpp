// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "soak.h"

#include "dockerdaemon.h"
#include "soakfollow.h"

#include <QTest>

#include <algorithm>
#include <csignal>

namespace Sandboxio::Load {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int mostBoxes = 5;
constexpr int mostOpen = 16;
constexpr int stepMs = 60;
constexpr qint64 keptAfterTheEndMs = 4'000;

} // namespace

Soak::Soak(Engine &engine, Live::SmallDaemon &daemon, quint32 seed)
    : m_engine(engine)
    , m_daemon(daemon)
    , m_random(seed)
    , m_journal(seed)
{
    connect(&m_engine, &Engine::warningRaised, this, [this](const EngineWarning &warning) {
        if (warning.kind == EngineWarning::Kind::OrphanedSandbox)
            m_orphans.append(warning.sandboxId);
    });
    connect(&m_steps, &QTimer::timeout, this, &Soak::step);
    m_restarts.setSingleShot(true);
    connect(&m_restarts, &QTimer::timeout, this, &Soak::restartDaemon);
}

Soak::~Soak() = default;

void Soak::start(std::chrono::milliseconds duration)
{
    m_steps.start(stepMs);
    m_restarts.start(25'000 + random(20'000));
    QTimer::singleShot(duration, this, [this] {
        m_isStopping = true;
        m_steps.stop();
        m_restarts.stop();
    });
}

const QList<Soak::Choice> &Soak::choices()
{
    static const QList<Choice> all{
        {20, &Soak::run},
        {4, &Soak::runWithMuchOutput},
        {3, &Soak::runPastItsLimit},
        {6, &Soak::runAndCancel},
        {4, &Soak::streamAndDrop},
        {12, &Soak::cell},
        {3, &Soak::cellPastItsLimit},
        {3, &Soak::createContext},
        {2, &Soak::removeContext},
        {6, &Soak::writeAndRead},
        {6, &Soak::uploadAndDownload},
        {4, &Soak::uploadAndCancel},
        {8, &Soak::look},
        {1, &Soak::pause},
        {2, &Soak::killRandomly},
    };
    return all;
}

void Soak::step()
{
    if (m_journal.open() >= mostOpen)
        return;
    for (const SoakBoxPtr &box : QList(m_boxes)) {
        if (m_journal.now() > box->expiresAt + keptAfterTheEndMs) // until then what is tried fails
            kill(box);
    }
    if (m_boxes.size() + m_creating < mostBoxes && random(10) == 0)
        create();
    const SoakBoxPtr box = anyBox();
    if (!box)
        return;
    int ticket = random(std::ranges::fold_left(
        choices(), 0, [](int sum, const Choice &choice) { return sum + choice.weight; }));
    for (const Choice &choice : choices()) {
        ticket -= choice.weight;
        if (ticket < 0)
            return (this->*choice.action)(box);
    }
}

SoakBoxPtr Soak::anyBox()
{
    return m_boxes.isEmpty() ? nullptr : m_boxes.at(random(static_cast<int>(m_boxes.size())));
}

qsizetype Soak::sandboxes() const
{
    return m_boxes.size();
}

QByteArray Soak::randomBytes(qsizetype limit)
{
    QByteArray bytes(random(static_cast<int>(limit)), Qt::Uninitialized);
    std::ranges::generate(bytes, [this] { return static_cast<char>(m_random.generate()); });
    return bytes;
}

void Soak::later(int milliseconds, std::function<void()> action)
{
    ++m_delayed;
    QTimer::singleShot(milliseconds, this, [this, action = std::move(action)] {
        --m_delayed;
        action();
    });
}

// Its containers end with it; what is left of them is removed as a user would.
void Soak::restartDaemon()
{
    m_isRestarting = true;
    m_journal.outageBegins();
    const int signal = random(3) == 0 ? SIGKILL : SIGTERM;
    const bool isBack = m_daemon.restart(signal);
    m_journal.outageEnds();
    QVERIFY2(isBack, "the daemon did not come back");
    qInfo("the daemon was ended by signal %d and is back", signal);
    for (const SoakBoxPtr &box : std::as_const(m_boxes))
        box->lostAt = m_journal.now();
    for (const SoakBoxPtr &box : QList(m_boxes))
        kill(box);
    m_isRestarting = false;
    if (!m_isStopping)
        m_restarts.start(25'000 + random(20'000));
}

void Soak::create()
{
    CreateOptions options = Live::createOptions(u"soak"_s);
    const bool isShort = random(5) == 0;
    options.timeout = isShort ? std::chrono::seconds(6 + random(10)) : 600s;
    Target target = m_daemon.target();
    target.templateId = Live::testImage();
    const Operation<SandboxPtr> creation = m_engine.create(target, options);
    ++m_creating;
    const SoakOperationPtr entry = m_journal.begin(u"create"_s, {});
    creation
        .then(this,
              [this, entry, options](const SandboxPtr &sandbox) {
                  --m_creating;
                  const auto box = std::make_shared<SoakBox>();
                  box->sandbox = sandbox;
                  box->expiresAt = m_journal.now() + options.timeout.count();
                  m_boxes.append(box);
                  m_journal.succeeded(entry, true, {});
                  if (m_journal.outages() > 0 && (m_journal.isOutage() || m_isStopping))
                      kill(box);
              })
        .onError(this,
                 [this, entry](const ErrorInfo &error) {
                     --m_creating;
                     m_journal.failed(entry, error);
                 })
        .onCancelled(this, [this, entry] {
            --m_creating;
            m_journal.cancelled(entry);
        });
    if (random(4) == 0)
        cancelSoon(entry, creation);
}

void Soak::kill(const SoakBoxPtr &box)
{
    box->killedAt = std::min(box->killedAt, m_journal.now());
    m_boxes.removeOne(box);
    const Operation<void> operation = box->sandbox->kill();
    follow(u"kill"_s, box, operation);
    operation.onError(this, [this, box](const ErrorInfo &error) {
        qInfo("not killed: %s, %s", qPrintable(box->sandbox->id()), qPrintable(error.message));
        m_orphans.append(box->sandbox->id());
    });
}

void Soak::killRandomly(const SoakBoxPtr &box)
{
    if (m_boxes.size() > 1)
        kill(box);
}

void Soak::killAll()
{
    for (const SoakBoxPtr &box : QList(m_boxes))
        kill(box);
}

} // namespace Sandboxio::Load
