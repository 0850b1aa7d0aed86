// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "supervisor.h"

#include <sandboxio/guest/protocol/messages.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace Sandboxio::Guest {

namespace {

constexpr int controlFd = 3;
constexpr int reportFd = 4;
constexpr std::string_view defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string_view nameOf(std::string_view assignment)
{
    return assignment.substr(0, assignment.find('='));
}

void setVariable(std::vector<std::string> &environment, const std::string &assignment)
{
    for (std::string &existing : environment) {
        if (nameOf(existing) == nameOf(assignment)) {
            existing = assignment;
            return;
        }
    }
    environment.push_back(assignment);
}

const std::string *findVariable(const std::vector<std::string> &environment, std::string_view name)
{
    for (const std::string &assignment : environment) {
        if (nameOf(assignment) == name)
            return &assignment;
    }
    return nullptr;
}

std::vector<std::string> childEnvironment(const SpawnPlan &plan)
{
    std::vector<std::string> environment;
    if (!plan.clearEnvironment) {
        for (char **entry = environ; entry && *entry; ++entry)
            environment.emplace_back(*entry);
    }
    if (!plan.term.empty())
        setVariable(environment, "TERM=" + plan.term);
    for (const std::string &assignment : plan.environment)
        setVariable(environment, assignment);
    return environment;
}

std::vector<std::string> executableCandidates(const std::string &command,
                                              const std::vector<std::string> &environment)
{
    if (command.find('/') != std::string::npos)
        return {command};
    const std::string *variable = findVariable(environment, "PATH");
    std::string_view path = variable ? std::string_view(*variable).substr(5) : defaultPath;
    std::vector<std::string> candidates;
    while (!command.empty()) {
        const std::size_t colon = path.find(':');
        std::string candidate(path.substr(0, colon));
        if (candidate.empty())
            candidate = '.';
        candidates.push_back(candidate.append(1, '/').append(command));
        if (colon == std::string_view::npos)
            break;
        path.remove_prefix(colon + 1);
    }
    return candidates;
}

std::vector<char *> pointers(std::vector<std::string> &strings)
{
    std::vector<char *> result;
    result.reserve(strings.size() + 1);
    for (std::string &text : strings)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

struct Failure
{
    volatile int errorNumber = 0;
    volatile SpawnStage stage = SpawnStage::Setup;
};

struct ExecArguments
{
    const std::vector<std::string> &candidates;
    char *const *argv;
    char *const *environment;
};

void resetSignals()
{
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// The first error that is not "no such file here", as execvp has it.
int execFirst(const ExecArguments &arguments)
{
    int error = ENOENT;
    for (const std::string &candidate : arguments.candidates) {
        ::execve(candidate.c_str(), arguments.argv, arguments.environment);
        if (errno == EACCES)
            error = EACCES;
        else if (errno != ENOENT && errno != ENOTDIR)
            return errno;
    }
    return error;
}

void report(SupervisorReport::Kind kind, int first, int second = 0)
{
    const SupervisorReport record{kind, first, second};
    while (::write(reportFd, &record, sizeof record) < 0 && errno == EINTR) {
    }
}

/// Runs in the vfork child: shares the supervisor's memory, so it only makes system calls.
[[noreturn]] void becomeProcess(const SpawnPlan &plan, const ExecArguments &arguments, Failure &failure)
{
    ::setsid();
    report(SupervisorReport::Forked, ::getpid());
    ::setrlimit(RLIMIT_NOFILE, &plan.openFiles);
    resetSignals();
    if (!plan.term.empty() && ::ioctl(0, TIOCSCTTY, 0) != 0) {
        failure.errorNumber = errno;
        failure.stage = SpawnStage::Pty;
    } else if (!plan.workingDirectory.empty() && ::chdir(plan.workingDirectory.c_str()) != 0) {
        failure.errorNumber = errno;
        failure.stage = SpawnStage::WorkingDirectory;
    } else {
        failure.errorNumber = execFirst(arguments);
        failure.stage = SpawnStage::Exec;
    }
    ::_exit(127);
}

/// As subreaper it has every process of the run as a child sooner or later; orphans come before the news of the end.
bool hasChildren()
{
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

[[noreturn]] void superviseUntilNoChildren(pid_t process)
{
    while (true) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, __WALL);
        if (ended == process)
            report(SupervisorReport::Ended, status, hasChildren() ? 0 : 1);
        else if (ended < 0 && errno == ECHILD)
            ::_exit(0);
    }
}

/// 0, or the errno when the process would miss one; reportFd is in place all the same, if it can be.
int takeDescriptors(const SpawnPlan &plan, int reportPipe)
{
    // Neither may be in the other's place.
    const int report = ::fcntl(reportPipe, F_DUPFD, reportFd + 1);
    const bool hasControl = plan.descriptors[controlFd] >= 0;
    const int control = hasControl ? ::fcntl(plan.descriptors[controlFd], F_DUPFD, reportFd + 1) : -1;
    const int error = hasControl && control < 0 ? errno : 0;
    for (int i = 0; i < controlFd; ++i)
        ::dup2(plan.descriptors[std::size_t(i)], i);
    if (control < 0)
        ::close(controlFd);
    else
        ::dup2(control, controlFd);
    ::dup3(report, reportFd, O_CLOEXEC);
    closeDescriptorsFrom(reportFd + 1);
    return error;
}

[[noreturn]] void supervise(const SpawnPlan &plan, int reportPipe)
{
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "sandboxio-run");
    if (const int error = takeDescriptors(plan, reportPipe)) {
        report(SupervisorReport::NotStarted, error, int(SpawnStage::Setup));
        ::_exit(0);
    }

    std::vector<std::string> argv = plan.argv;
    std::vector<std::string> environment = childEnvironment(plan);
    const std::vector<std::string> candidates = executableCandidates(argv.front(), environment);
    const std::vector<char *> argvPointers = pointers(argv);
    const std::vector<char *> environmentPointers = pointers(environment);
    const ExecArguments arguments{candidates, argvPointers.data(), environmentPointers.data()};

    static Failure failure;
    const pid_t process = ::vfork();
    if (process == 0)
        becomeProcess(plan, arguments, failure);
    if (process < 0) {
        report(SupervisorReport::NotStarted, errno, int(SpawnStage::Setup));
        ::_exit(0);
    }
    if (failure.errorNumber != 0) {
        report(SupervisorReport::NotStarted, failure.errorNumber, int(SpawnStage{failure.stage}));
        ::waitpid(process, nullptr, 0);
        ::_exit(0);
    }
    for (int fd = 0; fd <= controlFd; ++fd)
        ::close(fd);
    report(SupervisorReport::Started, process);
    superviseUntilNoChildren(process);
}

} // namespace

void closeDescriptorsFrom(int first)
{
    if (::syscall(SYS_close_range, unsigned(first), ~0u, 0u) == 0)
        return;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const int last = limit.rlim_cur > 65536 ? 65536 : int(limit.rlim_cur);
    for (int fd = first; fd < last; ++fd)
        ::close(fd);
}

Supervisor startSupervisor(const SpawnPlan &plan)
{
    Supervisor supervisor;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return supervisor;
    supervisor.report.reset(ends[0]);
    const UniqueFd writeEnd(ends[1]);
    setNonBlocking(ends[0]);
    supervisor.pid = ::fork();
    if (supervisor.pid == 0)
        supervise(plan, ends[1]);
    return supervisor;
}

} // namespace Sandboxio::Guest
