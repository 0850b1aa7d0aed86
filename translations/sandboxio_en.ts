<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>Sandboxio::Desktop::MainWindow</name>
    <message numerus="yes">
        <source>%n sandbox(es) of this window still run</source>
        <translation>
            <numerusform>%n sandbox of this window still runs</numerusform>
            <numerusform>%n sandboxes of this window still run</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sandboxio::Desktop::MessageArea</name>
    <message numerus="yes">
        <source>%n more message(s); close one to see it</source>
        <translation>
            <numerusform>%n more message; close one to see it</numerusform>
            <numerusform>%n more messages; close one to see them</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sandboxio::Desktop::OrphansPage</name>
    <message numerus="yes">
        <source>%n sandbox(es) reaped</source>
        <translation>
            <numerusform>%n sandbox reaped</numerusform>
            <numerusform>%n sandboxes reaped</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sandboxio::Desktop::ReapPlan</name>
    <message numerus="yes">
        <source>%n sandbox(es) will be killed; their files are lost.</source>
        <translation>
            <numerusform>%n sandbox will be killed; its files are lost.</numerusform>
            <numerusform>%n sandboxes will be killed; their files are lost.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sandboxio::Desktop::ResultsView</name>
    <message numerus="yes">
        <source>%n more value(s) are not shown</source>
        <translation>
            <numerusform>%n more value is not shown</numerusform>
            <numerusform>%n more values are not shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sandboxio::Desktop::SandboxesPage</name>
    <message numerus="yes">
        <source>%n sandbox(es)</source>
        <translation>
            <numerusform>%n sandbox</numerusform>
            <numerusform>%n sandboxes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n sandbox(es), %1 shown</source>
        <translation>
            <numerusform>%n sandbox, %1 shown</numerusform>
            <numerusform>%n sandboxes, %1 shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hidden</source>
        <translation>
            <numerusform>%n sandbox is hidden</numerusform>
            <numerusform>%n sandboxes are hidden</numerusform>
        </translation>
    </message>
</context>
</TS>
