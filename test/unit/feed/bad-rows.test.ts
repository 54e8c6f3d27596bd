import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { faultsOf, ticksOf } from './input.ts';

const GOOD = {
  symbol: 'ACME',
  ts_ms: '1381236469457',
  price: '182.1',
  size: '300',
  id: '1',
  seq: '7',
  exchange: 'P',
  conditions: '14;41',
  side: 'buy',
};

type Field = keyof typeof GOOD;

/** What a wrong value of a field is answered with, whatever the format. */
const WRONG_VALUES: readonly [field: Field, value: string, message: string][] = [
  ['symbol', '', 'symbol: is empty'],
  ['symbol', 'AC{ME}', 'symbol: has characters outside A-Z a-z 0-9 . _ : / - or is longer than 48: "AC{ME}"'],
  [
    'symbol',
    'A'.repeat(49),
    `symbol: has characters outside A-Z a-z 0-9 . _ : / - or is longer than 48: "${'A'.repeat(49)}"`,
  ],
  ['ts_ms', '', 'ts_ms: is empty'],
  ['ts_ms', 'today', 'ts_ms: is not a whole number: "today"'],
  ['ts_ms', '1381236469457.5', 'ts_ms: is not a whole number: "1381236469457.5"'],
  ['ts_ms', '1381236469457000', 'ts_ms: looks like microseconds (1381236469457000): wrong unit?'],
  ['ts_ms', '1381236469457000000', 'ts_ms: looks like nanoseconds (1381236469457000000): wrong unit?'],
  ['ts_ms', '1381236469', 'ts_ms: looks like seconds (1381236469): wrong unit?'],
  ['ts_ms', '4102444800000', 'ts_ms: is outside the years 1970 to 2100: "4102444800000"'],
  ['ts_ms', '-1', 'ts_ms: is outside the years 1970 to 2100: "-1"'],
  ['ts_ms', '9'.repeat(30), `ts_ms: is outside the years 1970 to 2100: "${'9'.repeat(30)}"`],
  ['ts_ms', '1700000100000', 'ts_ms: lies in the future: "1700000100000"'],
  ['price', '', 'price: is empty'],
  ['price', 'NaN', 'price: is not a number: "NaN"'],
  ['price', 'Infinity', 'price: is not a number: "Infinity"'],
  ['price', '1,5', 'price: is not a number: "1,5"'],
  ['price', '0x10', 'price: is not a number: "0x10"'],
  ['price', '+5', 'price: is not a number: "+5"'],
  ['price', '1.', 'price: is not a number: "1."'],
  ['price', '-182.1', 'price: is negative'],
  ['price', '0.00', 'price: is zero'],
  ['price', '0.1234567890123456789', 'price: has more than 18 decimal places or is too long: "0.1234567890123456789"'],
  ['price', '1e400', 'price: has more than 18 decimal places or is too long: "1e400"'],
  ['size', '', 'size: is empty'],
  ['size', 'many', 'size: is not a number: "many"'],
  ['size', '-5', 'size: is negative'],
  ['id', '', 'id: is empty'],
  ['id', 'x'.repeat(129), 'id: is longer than 128 characters'],
  ['seq', '1.5', 'seq: is not a whole number: "1.5"'],
  ['seq', 'first', 'seq: is not a whole number: "first"'],
  ['exchange', 'x'.repeat(129), 'exchange: is longer than 128 characters'],
  ['conditions', 'x'.repeat(129), 'conditions: is longer than 128 characters'],
  ['side', 'up', 'side: is neither buy nor sell: "up"'],
];

const GOOD_CSV = `${Object.keys(GOOD).join(',')}\n${Object.values(GOOD).join(',')}\n`;

describe('bad rows', () => {
  it('F1 the good row they are made from is good in both formats', async () => {
    expect(await faultsOf(GOOD_CSV)).toEqual([]);
    expect(await ticksOf(GOOD_CSV)).toEqual(await ticksOf(JSON.stringify(GOOD)));
  });

  it.each(WRONG_VALUES)('F1 R8 R9 %s = "%s"', async (field, value, message) => {
    const row = Object.values({ ...GOOD, [field]: value }).map((text) => (text.includes(',') ? `"${text}"` : text));
    expect(await faultsOf(`${GOOD_CSV}${row.join(',')}\n${GOOD_CSV.split('\n')[1]}`)).toEqual([
      `trades.csv:3: ${message}`,
    ]);
    const lines = [GOOD, { ...GOOD, [field]: value }, GOOD].map((object) => JSON.stringify(object));
    expect(await faultsOf(lines.join('\n'))).toEqual([`trades.csv:2: ${message}`]);
  });

  it.each([
    ['ACME,1381236469457,182.1,300', 'has 4 columns, the header has 5'],
    ['ACME,1381236469457,182.1,300,1,', 'has 6 columns, the header has 5'],
    ['ACME,1381236469457,182.1,300,"1', 'has a quoted field that does not end on its line'],
    ['ACME,1381236469457,182.1,300,"1"2', 'has text after a closing quote'],
    [
      '\x1b[31m,1381236469457,182.1,300,1',
      'symbol: has characters outside A-Z a-z 0-9 . _ : / - or is longer than 48: "\\u001b[31m"',
    ],
    ['ACME,1381236469457,182.1,300,a\x7fb', 'id: has a control character or is not UTF-8: "a\\u007fb"'],
    [
      Buffer.from('ACME,1381236469457,182.1,300,\xff', 'latin1'),
      'id: has a control character or is not UTF-8: "\ufffd"',
    ],
  ])('F1 CSV: %j', async (row, message) => {
    const content = Buffer.concat([Buffer.from('symbol,ts_ms,price,size,id\n'), Buffer.from(row)]);
    expect(await faultsOf(content)).toEqual([`trades.csv:2: ${message}`]);
  });

  const FIELDS = '"symbol":"ACME","ts_ms":1381236469457,"size":300,"id":"1"';

  it.each([
    [`{${FIELDS},"price":true}`, 'price: is a boolean'],
    [`{${FIELDS},"price":null}`, 'price: is null'],
    [`{${FIELDS},"price":[1]}`, 'price: is an array'],
    [`{${FIELDS},"price":{"a":[{}]}}`, 'price: is an object'],
    [`{${FIELDS}}`, 'price: is missing'],
    [`{${FIELDS},"price":1,"price":2}`, 'price: is given twice'],
    [`{${FIELDS},"price":1,"ts":"2013-10-08T00:00:00Z"}`, 'has two times, ts_ms and ts: keep one'],
    ['{"symbol":"ACME","price":1,"size":300,"id":"1"}', 'has no time: one of ts_ms, ts_us, ts_ns, ts'],
    ['{"symbol":5930,"ts_ms":1381236469457,"price":1,"size":1,"id":"1"}', 'symbol: is a number, must be a string'],
    ['{"symbol":"A","ts_ms":1381236469457,"price":1,"size":1,"id":null}', 'id: is null'],
    ['{"symbol":"A","ts_ms":1381236469457,"price":1,"size":1}', 'id: is missing'],
    [
      '{"symbol":"A","ts_ms":1381236469457,"price":1,"size":1,"id":1e3}',
      'id: is a number with a fraction or an exponent (1e3): quote it',
    ],
    [
      '{"symbol":"A","ts_ms":1.381236469457e12,"price":1,"size":1,"id":1}',
      'ts_ms: is not a whole number: "1.381236469457e12"',
    ],
    [
      '{"symbol":"A","ts_ms":1381236469457,"price":1,"size":1,"id":"\\ud800"}',
      'id: has a control character or is not UTF-8: "\\ud800"',
    ],
    [`{${FIELDS},"price":01}`, 'is not valid JSON: expected a value at column 68'],
    [`{${FIELDS},"price":NaN}`, 'is not valid JSON: expected a value at column 68'],
    [`{${FIELDS},"price":.5}`, 'is not valid JSON: expected a value at column 68'],
    [`{${FIELDS},"price":1.}`, 'is not valid JSON: expected a value at column 68'],
    [`{${FIELDS},"price":1`, 'is not valid JSON: expected , or } at column 69'],
    [`{${FIELDS},"price":1,}`, 'is not valid JSON: expected a name in quotes at column 70'],
    [`{${FIELDS},"price" 1}`, 'is not valid JSON: expected : at column 68'],
    [`{${FIELDS},"price":"1}`, 'is not valid JSON: a string is broken at column 68'],
    [`{${FIELDS},"price":"\\x"}`, 'is not valid JSON: a string is broken at column 68'],
    [`{${FIELDS},"price":[1}`, 'is not valid JSON: expected , or } at column 71'],
    [`{${FIELDS},"price":[1`, 'is not valid JSON: a value is not closed at column 70'],
    [`{${FIELDS},"price":1} {}`, 'is not valid JSON: text after the object at column 71'],
    ['symbol,ts_ms', 'is not a JSON object'],
    [`{${Array.from({ length: 1_001 }, (_, i) => `"a${i}":1`).join(',')}}`, 'has more than 1000 fields'],
  ])('F1 R13 JSON: %s', async (row, message) => {
    expect(await faultsOf(`${JSON.stringify(GOOD)}\n${row}\n`)).toEqual([`trades.csv:2: ${message}`]);
  });

  it('D6 JSON: the first row decides whether rows have ids', async () => {
    const { id, ...withoutId } = GOOD;
    expect(await faultsOf(`${JSON.stringify(withoutId)}\n${JSON.stringify({ ...withoutId, id })}\n`)).toEqual([
      'trades.csv:2: id: is given, but the first row has none',
    ]);
  });

  it.each([
    ['2013-10-08T12:47:49', 'has no time zone: add Z or an offset'],
    ['2013-10-08T12:47:49.1234567891Z', 'has more than 9 fractional digits'],
    ['2013-02-29T12:47:49Z', 'is not a time that exists'],
    ['2013-13-01T12:47:49Z', 'is not a time that exists'],
    ['2016-12-31T23:59:60Z', 'is not a time that exists'],
    ['2013-10-08T12:47:49+24:00', 'is not a time that exists'],
    ['2013-10-08', 'is not an ISO 8601 time'],
    ['yesterday', 'is not an ISO 8601 time'],
    ['1969-12-31T23:59:59Z', 'is outside the years 1970 to 2100'],
    ['2100-01-01T00:00:00Z', 'is outside the years 1970 to 2100'],
    ['1381236469', 'is a number: name its column ts_ms, ts_us or ts_ns, by its unit'],
  ])('R8 ts = %s', async (ts, reason) => {
    expect(await faultsOf(`symbol,ts,price,size,id\nA,${ts},1,1,1\n`)).toEqual([
      `trades.csv:2: ts: ${reason}: "${ts}"`,
    ]);
  });

  it('R8 in every unit, the times of the other units are told apart', async () => {
    const inUnit = {
      seconds: '1381236469',
      milliseconds: '1381236469457',
      microseconds: '1381236469457000',
      nanoseconds: '1381236469457000000',
    };
    for (const [column, own] of [
      ['ts_ms', 'milliseconds'],
      ['ts_us', 'microseconds'],
      ['ts_ns', 'nanoseconds'],
    ] as const) {
      for (const [unit, text] of Object.entries(inUnit)) {
        const faults = await faultsOf(`symbol,${column},price,size,id\nA,${text},1,1,1\n`);
        expect(faults).toEqual(
          unit === own ? [] : [`trades.csv:2: ${column}: looks like ${unit} (${text}): wrong unit?`],
        );
      }
    }
  });

  it('R24 the bad rows of the fixtures are named, the good ones beside them are read', async () => {
    const csv = await readFile('test/fixtures/trades/bad.csv');
    expect(await faultsOf(csv)).toEqual([
      'trades.csv:3: price: is not a number: "NaN"',
      'trades.csv:4: ts_ms: looks like microseconds (1381236469459000): wrong unit?',
      'trades.csv:5: symbol: is empty',
      'trades.csv:6: size: is negative',
      'trades.csv:7: has 4 columns, the header has 5',
    ]);
    expect(await ticksOf(csv)).toHaveLength(1);
    const jsonl = await readFile('test/fixtures/trades/bad.jsonl');
    expect(await faultsOf(jsonl)).toEqual([
      'trades.csv:2: price: is a boolean',
      'trades.csv:3: size: is missing',
      'trades.csv:4: is not valid JSON: expected , or } at column 73',
    ]);
    expect(await ticksOf(jsonl)).toHaveLength(1);
  });
});
