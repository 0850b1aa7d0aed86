// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "processtree.h"

#include "uniquefd.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <map>
#include <set>

namespace Sandboxio::Guest {

namespace {

constexpr int maximumPasses = 64;

struct Process
{
    pid_t parent = 0;
    bool alive = false;
};

std::map<pid_t, Process> readProcesses()
{
    std::map<pid_t, Process> processes;
    DIR *folder = ::opendir("/proc");
    if (!folder)
        return processes;
    while (const dirent *entry = ::readdir(folder)) {
        if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0])))
            continue;
        const pid_t pid = pid_t(std::strtol(entry->d_name, nullptr, 10));
        Process process;
        if (readProcess(pid, process.parent, process.alive))
            processes.emplace(pid, process);
    }
    ::closedir(folder);
    return processes;
}

bool descendsFrom(const std::map<pid_t, Process> &processes, pid_t pid, pid_t root)
{
    for (std::size_t steps = 0; steps <= processes.size(); ++steps) {
        const auto process = processes.find(pid);
        if (process == processes.end())
            return false;
        pid = process->second.parent;
        if (pid == root)
            return true;
    }
    return false;
}

std::set<pid_t> livingDescendants(pid_t root)
{
    std::set<pid_t> result;
    const std::map<pid_t, Process> processes = readProcesses();
    for (const auto &[pid, process] : processes) {
        if (process.alive && descendsFrom(processes, pid, root))
            result.insert(pid);
    }
    return result;
}

} // namespace

bool readProcess(pid_t pid, pid_t &parent, bool &alive)
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", int(pid));
    const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
    if (!file)
        return false;
    char text[512];
    const ssize_t size = ::read(file.get(), text, sizeof text - 1);
    if (size <= 0)
        return false;
    text[size] = '\0';
    // The name may hold anything, so the fields are counted from its closing parenthesis.
    const char *afterName = std::strrchr(text, ')');
    char state = 0;
    int parentNumber = 0;
    if (!afterName || std::sscanf(afterName + 1, " %c %d", &state, &parentNumber) != 2)
        return false;
    parent = parentNumber;
    alive = state != 'Z' && state != 'X';
    return true;
}

int killDescendants(pid_t root)
{
    std::set<pid_t> stopped;
    for (int pass = 0; pass < maximumPasses; ++pass) {
        bool grew = false;
        for (const pid_t pid : livingDescendants(root)) {
            if (stopped.insert(pid).second) {
                ::kill(pid, SIGSTOP);
                grew = true;
            }
        }
        if (!grew)
            break;
    }
    for (const pid_t pid : stopped)
        ::kill(pid, SIGKILL);
    return int(stopped.size());
}

} // namespace Sandboxio::Guest
