// Writes the pages that are tables of the code: `npm run docs`. With --check it writes nothing and fails on a stale page.
// Reads dist/, so the build comes first.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const PAGES = [
  { page: 'docs/errors.md', source: 'core/errors', render: ({ ERRORS }) => errorsPage(ERRORS) },
  { page: 'docs/settings.md', source: 'server/settings', render: ({ SETTINGS }) => settingsPage(SETTINGS) },
  { page: 'docs/metrics.md', source: 'server/metrics', render: ({ METRICS }) => metricsPage(METRICS) },
];

const check = process.argv.includes('--check');
for (const { page, source, render } of PAGES) {
  const made = `<!-- Generated from src/${source}.ts by npm run docs; edit that file. -->\n\n${render(await import(`../dist/${source}.js`))}`;
  const path = join(ROOT, page);
  if (made === readOrEmpty(path)) continue;
  if (check) {
    console.error(`docs: ${page} is not what src/${source}.ts says; run npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, made);
    console.log(`docs: wrote ${page}`);
  }
}

function errorsPage(errors) {
  const entries = Object.entries(errors).map(
    ([code, { httpStatus, cause, fix }]) =>
      `## \`${code}\`\n\nHTTP status ${httpStatus}.\n\n- **Cause.** ${cause}\n- **Fix.** ${fix}\n`,
  );
  return `# Errors\n\nEvery fault has a code. Over HTTP it arrives as \`{"error":{"code","message","fix"}}\`, on the command line as
\`code: message\`. Codes are never reused.\n\n${entries.join('\n')}`;
}

function settingsPage(settings) {
  const rows = settings.map((setting) => [
    `\`${setting.env}\``,
    `\`${setting.flag}\``,
    setting.type,
    `\`${setting.default}\``,
    rangeOf(setting),
    setting.why,
  ]);
  return `# Settings\n\nA flag wins over its environment variable, the variable over the default.\n\n${table(
    ['Variable', 'Flag', 'Type', 'Default', 'Range and unit', 'Why'],
    rows,
  )}`;
}

function metricsPage(metrics) {
  const rows = metrics.map(({ name, type, help, unit, labels, alarm }) => [
    `\`${name}\``,
    type,
    unit ?? '',
    labels.map((label) => `\`${label}\``).join(', '),
    help,
    alarm ?? '',
  ]);
  return `# Metrics\n\n\`GET /metrics\` answers in the Prometheus text format.\n\n${table(
    ['Metric', 'Type', 'Unit', 'Labels', 'Meaning', 'Wake somebody when'],
    rows,
  )}`;
}

function rangeOf({ type, min, max, unit }) {
  const range =
    min !== undefined && max !== undefined ? `${min} to ${max}` : type === 'port' ? '0 to 65535, 0 = any free one' : '';
  return [range, unit].filter(Boolean).join(' ');
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
