// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "testprogram.h"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace TestProgram {

namespace {

std::map<std::string, Run, std::less<>> &allTests()
{
    static std::map<std::string, Run, std::less<>> tests;
    return tests;
}

} // namespace

Registration::Registration(const char *file, Run run)
{
    const std::string_view name(file);
    allTests().emplace(name.substr(0, name.rfind('.')), run);
}

} // namespace TestProgram

int main(int argc, char **argv)
{
    const auto &tests = TestProgram::allTests();
    const auto test = argc > 1 ? tests.find(std::string_view(argv[1])) : tests.end();
    if (test == tests.end()) {
        std::fprintf(stderr, "usage: %s TEST [ARGUMENT…], where TEST is one of\n", argv[0]);
        for (const auto &[name, run] : tests)
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    std::vector<char *> arguments{argv[0]};
    arguments.insert(arguments.end(), argv + 2, argv + argc + 1); // with the null pointer at the end
    return test->second(argc - 1, arguments.data());
}
