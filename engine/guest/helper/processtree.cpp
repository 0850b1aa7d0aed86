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
#include <utility>
#include <vector>

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

std::set<pid_t> searchedDescendants(pid_t root)
{
    std::set<pid_t> result;
    const std::map<pid_t, Process> processes = readProcesses();
    for (const auto &[pid, process] : processes) {
        if (process.alive && descendsFrom(processes, pid, root))
            result.insert(pid);
    }
    return result;
}

/// Whether the kernel lists the children of a process.
bool hasChildrenLists()
{
    static const bool has = ::access("/proc/thread-self/children", R_OK) == 0;
    return has;
}

void appendNumbers(const char *path, std::vector<pid_t> &numbers)
{
    const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
    pid_t number = 0;
    char text[4096];
    for (ssize_t size = 0; file && (size = ::read(file.get(), text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < size; ++i) { // a number may go on in the next piece
            if (text[i] >= '0' && text[i] <= '9')
                number = number * 10 + (text[i] - '0');
            else if (number != 0)
                numbers.push_back(std::exchange(number, 0));
        }
    }
    if (number != 0)
        numbers.push_back(number);
}

/// The children of all threads of \a pid.
std::vector<pid_t> childrenOf(pid_t pid)
{
    std::vector<pid_t> children;
    char path[96];
    std::snprintf(path, sizeof path, "/proc/%d/task", int(pid));
    DIR *folder = ::opendir(path);
    if (!folder)
        return children;
    while (const dirent *entry = ::readdir(folder)) {
        if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0])))
            continue;
        std::snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", int(pid), entry->d_name);
        appendNumbers(path, children);
    }
    ::closedir(folder);
    return children;
}

/// Costs as much as the tree is large, however many other processes there are.
std::set<pid_t> listedDescendants(pid_t root)
{
    std::set<pid_t> result;
    std::set<pid_t> seen;
    std::vector<pid_t> waiting{root};
    while (!waiting.empty()) {
        const pid_t next = waiting.back();
        waiting.pop_back();
        for (const pid_t child : childrenOf(next)) {
            pid_t parent = 0;
            bool alive = false;
            if (!seen.insert(child).second || !readProcess(child, parent, alive))
                continue;
            waiting.push_back(child);
            if (alive)
                result.insert(child);
        }
    }
    return result;
}

std::set<pid_t> livingDescendants(pid_t root, TreeSearch search)
{
    return search == TreeSearch::Quick && hasChildrenLists() ? listedDescendants(root)
                                                             : searchedDescendants(root);
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

int killDescendants(pid_t root, TreeSearch search)
{
    std::set<pid_t> stopped;
    for (int pass = 0; pass < maximumPasses; ++pass) {
        bool grew = false;
        for (const pid_t pid : livingDescendants(root, search)) {
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
