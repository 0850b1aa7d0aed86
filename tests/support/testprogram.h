// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QTest>

// The tests of a folder share a program, which is linked and compiled once; its first argument names the one to run,
// as the test's file is named: tst_core tst_dsn [ARGUMENT OF Qt Test…]. Each ends with one of the macros below.
namespace TestProgram {

using Run = int (*)(int argc, char **argv);

// Makes \a run the test of \a file. Objects of this type are static.
class Registration
{
public:
    Registration(const char *file, Run run);
};

template <typename Application, typename TestClass>
int runClass(int argc, char **argv)
{
    const Application application(argc, argv);
    TestClass test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace TestProgram

// A test that is a function like main; its arguments are those behind the test's name.
#define SANDBOXIO_TEST_FUNCTION(function)                                                                      \
    static const TestProgram::Registration registered##function(__FILE_NAME__, &function);

// A test class of Qt Test under an application object of the type.
#define SANDBOXIO_TEST_WITH(Application, TestClass)                                                            \
    static const TestProgram::Registration registered##TestClass(                                              \
        __FILE_NAME__, &TestProgram::runClass<Application, TestClass>);

#define SANDBOXIO_TEST(TestClass) SANDBOXIO_TEST_WITH(QCoreApplication, TestClass)
#define SANDBOXIO_WIDGETS_TEST(TestClass) SANDBOXIO_TEST_WITH(QApplication, TestClass)
