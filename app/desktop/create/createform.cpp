// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "createform.h"

#include "labelstext.h"

#include <sandboxio/models/sandboxtexts.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStandardItemModel>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int defaultLifetime = 30; // minutes
constexpr int smallFieldLines = 3;

QPlainTextEdit *smallEditor(QWidget *parent)
{
    auto *editor = new QPlainTextEdit(parent);
    editor->setTabChangesFocus(true);
    editor->setLineWrapMode(QPlainTextEdit::NoWrap);
    editor->setFixedHeight(editor->fontMetrics().lineSpacing() * smallFieldLines + 12);
    return editor;
}

void setRefusal(QWidget *field, const QString &refusal)
{
    field->setEnabled(refusal.isEmpty());
    field->setToolTip(refusal);
    field->setAccessibleDescription(refusal);
}

} // namespace

CreateForm::CreateForm(Engine *engine, const QList<Target> &targets, QWidget *parent)
    : QWidget(parent)
    , m_probe(new PlanProbe(engine, this))
    , m_form(new QFormLayout(this))
{
    setAccessibleName(tr("New sandbox"));
    m_form->setContentsMargins({});
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addPlaceFields(targets);
    addNetworkFields();
    addCapFields();
    addLifetimeFields();
    connect(m_probe, &PlanProbe::changed, this, &CreateForm::applyRefusals);
    connect(m_target, &QComboBox::currentIndexChanged, this, [this] {
        m_acceptLifetime->setChecked(false); // it was said of another target
        m_probe->probe(target());
    });
    updateAllow();
    m_probe->probe(target());
}

void CreateForm::addRow(const QString &label, QWidget *field, const QString &name)
{
    field->setObjectName(name);
    field->setAccessibleName(QString(label).remove(u'&').remove(u':'));
    m_form->addRow(label, field);
    m_form->labelForField(field)->setAccessibleName(field->accessibleName());
}

void CreateForm::addPlaceFields(const QList<Target> &targets)
{
    m_target = new QComboBox(this);
    for (const Target &target : targets)
        m_target->addItem(target.toDsn(), QVariant::fromValue(target));
    addRow(tr("&Target:"), m_target, u"createTarget"_s);
    m_template = new QLineEdit(this);
    m_template->setPlaceholderText(tr("The backend's default"));
    addRow(tr("&Image or template:"), m_template, u"createTemplate"_s);
    m_isolation = new QComboBox(this);
    m_isolation->addItem(tr("Any"), QVariant());
    for (const auto tier : {IsolationTier::Container, IsolationTier::GVisor, IsolationTier::MicroVm})
        m_isolation->addItem(tr("At least %1").arg(isolationTierName(tier)), int(tier));
    addRow(tr("I&solation:"), m_isolation, u"createIsolation"_s);
    connect(m_target, &QComboBox::currentIndexChanged, this, &CreateForm::edited);
    connect(m_template, &QLineEdit::textChanged, this, &CreateForm::edited);
    connect(m_isolation, &QComboBox::currentIndexChanged, this, &CreateForm::edited);
}

void CreateForm::addNetworkFields()
{
    using Egress = NetworkPolicy::Egress;
    m_network = new QComboBox(this);
    m_network->addItem(tr("Deny: nothing can be reached"), int(Egress::Deny));
    m_network->addItem(tr("Allow list: only what is named"), int(Egress::AllowList));
    m_network->addItem(tr("Learn: as the allow list, and report what is denied"), int(Egress::Learn));
    m_network->addItem(tr("Open: an ordinary network"), int(Egress::Open));
    addRow(tr("&Network:"), m_network, u"createNetwork"_s);
    m_networkNote = new QLabel(this);
    m_networkNote->setWordWrap(true);
    m_networkNote->setForegroundRole(QPalette::PlaceholderText);
    m_networkNote->setAccessibleName(tr("What the target refuses"));
    m_form->addRow(QString(), m_networkNote);
    m_allow = smallEditor(this);
    m_allow->setPlaceholderText(tr("One a line: host, *.domain, address or network, with optional :port"));
    addRow(tr("&Allowed:"), m_allow, u"createAllow"_s);
    connect(m_network, &QComboBox::currentIndexChanged, this, [this] {
        updateAllow();
        Q_EMIT edited();
    });
    connect(m_allow, &QPlainTextEdit::textChanged, this, &CreateForm::edited);
}

void CreateForm::addCapFields()
{
    const auto number = [this](int maximum, int step, const QString &suffix) {
        auto *box = new QSpinBox(this);
        box->setRange(0, maximum);
        box->setSingleStep(step);
        box->setSuffix(suffix);
        box->setSpecialValueText(tr("The backend's default"));
        connect(box, &QSpinBox::valueChanged, this, &CreateForm::edited);
        return box;
    };
    m_cpu = new QDoubleSpinBox(this);
    m_cpu->setRange(0, 256);
    m_cpu->setSingleStep(0.5);
    m_cpu->setDecimals(2);
    m_cpu->setSuffix(tr(" cores"));
    m_cpu->setSpecialValueText(tr("The backend's default"));
    connect(m_cpu, &QDoubleSpinBox::valueChanged, this, &CreateForm::edited);
    addRow(tr("C&PU:"), m_cpu, u"createCpu"_s);
    m_memory = number(1'048'576, 256, tr(" MiB"));
    addRow(tr("&Memory:"), m_memory, u"createMemory"_s);
    m_disk = number(16'777'216, 1024, tr(" MiB"));
    m_disk->setSpecialValueText(tr("No cap"));
    addRow(tr("&Disk:"), m_disk, u"createDisk"_s);
    m_processes = number(1'000'000, 64, {});
    addRow(tr("P&rocesses:"), m_processes, u"createProcesses"_s);
}

void CreateForm::addLifetimeFields()
{
    auto *row = new QWidget(this);
    row->setAccessibleName(tr("Lifetime"));
    m_lifetime = new QSpinBox(row);
    m_lifetime->setObjectName(u"createLifetime"_s);
    m_lifetime->setAccessibleName(tr("Lifetime"));
    m_lifetime->setRange(1, 100'000);
    m_lifetime->setValue(defaultLifetime);
    m_lifetime->setToolTip(tr("When it is over the sandbox ends, whatever became of this program."));
    m_lifetimeUnit = new QComboBox(row);
    m_lifetimeUnit->setObjectName(u"createLifetimeUnit"_s);
    m_lifetimeUnit->setAccessibleName(tr("Unit of the lifetime"));
    m_lifetimeUnit->addItem(tr("seconds"), 1);
    m_lifetimeUnit->addItem(tr("minutes"), 60);
    m_lifetimeUnit->addItem(tr("hours"), 3600);
    m_lifetimeUnit->setCurrentIndex(1);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->addWidget(m_lifetime, 1);
    layout->addWidget(m_lifetimeUnit);
    auto *label = new QLabel(tr("Li&fetime:"), this);
    label->setAccessibleName(tr("Lifetime"));
    label->setBuddy(m_lifetime);
    m_form->addRow(label, row);
    m_acceptLifetime = new QCheckBox(tr("A&ccept that only this program ends it for certain"), this);
    m_acceptLifetime->setObjectName(u"createAcceptLifetime"_s);
    m_acceptLifetime->setAccessibleName(tr("Accept that only this program ends it for certain"));
    m_form->addRow(QString(), m_acceptLifetime);
    m_labels = smallEditor(this);
    m_labels->setPlaceholderText(tr("One a line: name=value"));
    addRow(tr("La&bels:"), m_labels, u"createLabels"_s);
    connect(m_lifetime, &QSpinBox::valueChanged, this, &CreateForm::edited);
    connect(m_lifetimeUnit, &QComboBox::currentIndexChanged, this, &CreateForm::edited);
    connect(m_labels, &QPlainTextEdit::textChanged, this, &CreateForm::edited);
    connect(m_acceptLifetime, &QCheckBox::toggled, this, &CreateForm::edited);
}

void CreateForm::updateAllow()
{
    const auto egress = NetworkPolicy::Egress(m_network->currentData().toInt());
    const bool wanted = egress == NetworkPolicy::Egress::AllowList || egress == NetworkPolicy::Egress::Learn;
    m_form->setRowVisible(m_allow, wanted);
}

void CreateForm::applyRefusals()
{
    auto *items = qobject_cast<QStandardItemModel *>(m_network->model());
    QStringList notes;
    for (int row = 0; row < m_network->count(); ++row) {
        const QString refusal = m_probe->refusalOf(NetworkPolicy::Egress(m_network->itemData(row).toInt()));
        items->item(row)->setEnabled(refusal.isEmpty());
        items->item(row)->setToolTip(refusal);
        if (!refusal.isEmpty() && !notes.contains(refusal.section(u'\n', 0, 0)))
            notes += refusal.section(u'\n', 0, 0);
    }
    m_networkNote->setText(notes.join(u'\n'));
    m_form->setRowVisible(m_networkNote, !notes.isEmpty());
    setRefusal(m_cpu, m_probe->refusalOf(Resources::Cap::Cpu));
    setRefusal(m_memory, m_probe->refusalOf(Resources::Cap::Memory));
    setRefusal(m_disk, m_probe->refusalOf(Resources::Cap::Disk));
    m_disk->setSpecialValueText(m_disk->isEnabled() ? tr("No cap") : tr("Not available here"));
    setRefusal(m_processes, m_probe->refusalOf(Resources::Cap::Processes));
    const QString doubt = m_probe->lifetimeDoubt();
    m_acceptLifetime->setToolTip(doubt);
    m_acceptLifetime->setAccessibleDescription(doubt);
    m_form->setRowVisible(m_acceptLifetime, !doubt.isEmpty());
    if (m_acceptLifetime->isChecked()) // it counts only now that the doubt is known
        Q_EMIT edited();
}

Target CreateForm::target() const
{
    auto target = m_target->currentData().value<Target>();
    if (!m_template->text().trimmed().isEmpty())
        target.templateId = m_template->text().trimmed();
    return target;
}

CreateOptions CreateForm::options() const
{
    CreateOptions options;
    options.timeout = std::chrono::seconds(qint64(m_lifetime->value()) * m_lifetimeUnit->currentData().toInt());
    options.acceptClientSideLifetime = m_acceptLifetime->isChecked() && !m_probe->lifetimeDoubt().isEmpty();
    options.network.egress = NetworkPolicy::Egress(m_network->currentData().toInt());
    if (!m_allow->isHidden()) {
        const QStringList lines = m_allow->toPlainText().split(u'\n');
        for (const QString &line : lines) {
            if (!line.trimmed().isEmpty())
                options.network.allow += line.trimmed();
        }
    }
    if (m_cpu->isEnabled() && m_cpu->value() > 0)
        options.resources.cpu = m_cpu->value();
    if (m_memory->isEnabled() && m_memory->value() > 0)
        options.resources.memoryMb = m_memory->value();
    if (m_disk->isEnabled() && m_disk->value() > 0)
        options.resources.diskMb = m_disk->value();
    if (m_processes->isEnabled() && m_processes->value() > 0)
        options.resources.processes = m_processes->value();
    if (m_isolation->currentData().isValid())
        options.requireIsolation = IsolationTier(m_isolation->currentData().toInt());
    const auto labels = parseLabels(m_labels->toPlainText());
    if (const auto *parsed = std::get_if<QMap<QString, QString>>(&labels))
        options.metadata = *parsed;
    return options;
}

QString CreateForm::problem() const
{
    const auto labels = parseLabels(m_labels->toPlainText());
    const auto *wrong = std::get_if<QString>(&labels);
    return wrong ? *wrong : QString();
}

void CreateForm::setContent(const Target &target, const CreateOptions &options)
{
    for (int row = 0; row < m_target->count(); ++row) {
        if (m_target->itemData(row).value<Target>().identity() == target.identity())
            m_target->setCurrentIndex(row);
    }
    m_template->setText(target.templateId.isEmpty() ? options.templateId : target.templateId);
    m_network->setCurrentIndex(m_network->findData(int(options.network.egress)));
    m_allow->setPlainText(options.network.allow.join(u'\n'));
    m_cpu->setValue(options.resources.cpu.value_or(0));
    m_memory->setValue(int(options.resources.memoryMb.value_or(0)));
    m_disk->setValue(int(options.resources.diskMb.value_or(0)));
    m_processes->setValue(options.resources.processes.value_or(0));
    m_lifetimeUnit->setCurrentIndex(0);
    m_lifetime->setValue(int(std::chrono::ceil<std::chrono::seconds>(options.timeout).count()));
    m_acceptLifetime->setChecked(options.acceptClientSideLifetime);
    m_isolation->setCurrentIndex(
        options.requireIsolation ? m_isolation->findData(int(*options.requireIsolation)) : 0);
    QString labels;
    for (const auto &[name, value] : options.metadata.asKeyValueRange())
        labels += name + u'=' + value + u'\n';
    m_labels->setPlainText(labels);
}

void CreateForm::showTemplate(const QString &resolved)
{
    m_template->setPlaceholderText(resolved.isEmpty() ? tr("The backend's default")
                                                      : tr("%1 (the backend's default)").arg(resolved));
}

} // namespace Sandboxio::Desktop
