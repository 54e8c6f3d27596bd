import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { dumpStore, tempDir, ticker } from './ticker.ts';

const dir = tempDir();
afterAll(dir.remove);

const GOOD = 'IBM,1381236469457,182.1,300,1,1';
const CSV_HEADER = 'symbol,ts_ms,price,size,id,seq';
const GOOD_JSON = '{"symbol":"IBM","ts_ms":1381236469457,"price":182.1,"size":300,"id":"1","seq":1}';

/** A broken row of every kind: what stands in the row, and what the message must name. */
const BAD_CSV: [string, string, RegExp][] = [
  ['NaN price', 'IBM,1381236469457,NaN,300,2,2', /:3: price: .*"NaN"/],
  ['infinite price', 'IBM,1381236469457,Infinity,300,2,2', /:3: price: /],
  ['negative price', 'IBM,1381236469457,-5,300,2,2', /:3: price: .*negative/],
  ['zero price', 'IBM,1381236469457,0,300,2,2', /:3: price: .*zero/],
  ['empty price', 'IBM,1381236469457,,300,2,2', /:3: price: /],
  ['price with a comma', 'IBM,1381236469457,"1,5",300,2,2', /:3: price: /],
  ['negative size', 'IBM,1381236469457,182.1,-1,2,2', /:3: size: .*negative/],
  ['size of words', 'IBM,1381236469457,182.1,many,2,2', /:3: size: .*"many"/],
  ['empty symbol', ',1381236469457,182.1,300,2,2', /:3: symbol: .*empty/],
  ['symbol with a brace', 'I{B}M,1381236469457,182.1,300,2,2', /:3: symbol: /],
  ['microseconds as ms', 'IBM,1381236469457000,182.1,300,2,2', /:3: ts_ms: .*unit/],
  ['seconds as ms', 'IBM,1381236469,182.1,300,2,2', /:3: ts_ms: .*unit/],
  ['time of words', 'IBM,yesterday,182.1,300,2,2', /:3: ts_ms: /],
  ['time from the future', 'IBM,4070908800000,182.1,300,2,2', /:3: ts_ms: .*future/],
  ['empty id', 'IBM,1381236469457,182.1,300,,2', /:3: id: .*empty/],
  ['seq of words', 'IBM,1381236469457,182.1,300,2,x', /:3: seq: /],
  ['missing column', 'IBM,1381236469457,182.1', /:3: .*columns/],
  ['one column more', 'IBM,1381236469457,182.1,300,2,2,7', /:3: .*columns/],
  ['open quote', 'IBM,1381236469457,"182.1,300,2,2', /:3: /],
];

const BAD_JSON: [string, string, RegExp][] = [
  ['not JSON', '{"symbol":"IBM",', /:2: /],
  ['an array', '["IBM",1381236469457,182.1,300]', /:2: /],
  ['price true', '{"symbol":"IBM","ts_ms":1381236469457,"price":true,"size":1,"id":"2"}', /:2: price: /],
  ['price null', '{"symbol":"IBM","ts_ms":1381236469457,"price":null,"size":1,"id":"2"}', /:2: price: /],
  ['price object', '{"symbol":"IBM","ts_ms":1381236469457,"price":{},"size":1,"id":"2"}', /:2: /],
  ['symbol a number', '{"symbol":7,"ts_ms":1381236469457,"price":1,"size":1,"id":"2"}', /:2: symbol: /],
  ['no price', '{"symbol":"IBM","ts_ms":1381236469457,"size":1,"id":"2"}', /:2: price: .*missing/],
  ['no time', '{"symbol":"IBM","price":1,"size":1,"id":"2"}', /:2: /],
  ['the same key twice', '{"symbol":"IBM","ts_ms":1381236469457,"price":1,"price":2,"size":1,"id":"2"}', /:2: price: /],
  ['negative size', '{"symbol":"IBM","ts_ms":1381236469457,"price":1,"size":-1,"id":"2"}', /:2: size: .*negative/],
  ['wrong unit', '{"symbol":"IBM","ts_us":1381236469457,"price":1,"size":1,"id":"2"}', /:2: ts_us: .*unit/],
];

let files = 0;
const write = (content: string | Buffer, name = `bad-${files++}`): string => {
  const path = join(dir.path, name);
  writeFileSync(path, content);
  return path;
};

const refused = (path: string, store = join(dir.path, `store-${files++}.db`)): string => {
  const run = ticker(['import', path, '--store', `sqlite:${store}`]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('INPUT_');
  if (existsSync(store)) expect(dumpStore(`sqlite:${store}`)).toBe('');
  return run.stderr;
};

describe('bad input is refused with file, line, field and reason, and nothing of it is written', () => {
  it.each(BAD_CSV)('F1 Q7 CSV: %s', (_, row, message) => {
    expect(refused(write(`${CSV_HEADER}\n${GOOD}\n${row}\n`))).toMatch(message);
  });

  it.each(BAD_JSON)('F1 Q7 JSON lines: %s', (_, row, message) => {
    expect(refused(write(`${GOOD_JSON}\n${row}\n`))).toMatch(message);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['an empty file', '', /empty/],
    ['no price column', 'symbol,ts_ms,size\nIBM,1381236469457,1\n', /price/],
    ['no time column', 'symbol,price,size\nIBM,1,1\n', /ts/],
    ['a column twice', 'symbol,ts_ms,price,price,size\nIBM,1381236469457,1,1,1\n', /price/],
    ['two time columns', 'symbol,ts_ms,ts_us,price,size\nIBM,1381236469457,1381236469457000,1,1\n', /ts_/],
    ['no header', 'IBM,1381236469457,182.1,300\n', /column|header/],
    ['binary junk', Buffer.from([0, 1, 2, 255, 254, 3, 10, 7, 0]), /format|column|header|text/i],
    ['a truncated gzip', gzipSync(`${CSV_HEADER}\n${`${GOOD}\n`.repeat(500)}`).subarray(0, 60), /truncated|end|gzip/i],
    [
      'a corrupted gzip',
      Buffer.concat([gzipSync(`${CSV_HEADER}\n${GOOD}\n`).subarray(0, 20), Buffer.alloc(40, 0xaa)]),
      /gzip|corrupt|damaged/i,
    ],
    ['a line without end', `${CSV_HEADER}\n${'x'.repeat(70_000)}\n`, /:2: .*long/],
  ])('Q7 %s', (_, content, message) => {
    expect(refused(write(content))).toMatch(message);
  });

  it('a file that is not there, and a directory', () => {
    expect(refused(join(dir.path, 'absent.csv'))).toMatch(/absent\.csv.*no such file/);
    expect(refused(dir.path)).toMatch(/directory/);
  });

  it('a bad file does not keep a good one beside it out', () => {
    const store = `sqlite:${join(dir.path, 'mixed.db')}`;
    const [good, bad] = [
      write(`${CSV_HEADER}\n${GOOD}\n`),
      write(`${CSV_HEADER}\n${GOOD.replace('IBM', 'AIG')}\nAIG,1,2,3\n`),
    ];
    expect(ticker(['import', bad, good, '--store', store]).code).toBe(1);
    expect(dumpStore(store, ['--interval', '1m'])).toMatch(/^\{"symbol":"IBM".*\}\n$/);
  });

  it('--skip-bad counts bad rows, names them, and writes the rest', () => {
    const store = `sqlite:${join(dir.path, 'skipped.db')}`;
    const path = write(
      `${CSV_HEADER}\n${GOOD}\n${BAD_CSV.map(([, row]) => row)
        .filter((row) => !row.includes('"182'))
        .join('\n')}\n`,
    );
    const run = ticker(['import', path, '--skip-bad', '--store', store]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toMatch(/1 new, 0 already known, 18 bad/);
    expect(run.stderr).toMatch(/skipped .*:3: price: /);
    expect(dumpStore(store, ['--interval', '1s']).trim().split('\n')).toHaveLength(1);
  });

  it('replay refuses the same way, before it writes', () => {
    const store = join(dir.path, 'replayed.db');
    const run = ticker([
      'replay',
      write(`${CSV_HEADER}\n${GOOD}\nIBM,1381236469457,NaN,300,2,2\n`),
      '--speed',
      'max',
      '--store',
      `sqlite:${store}`,
    ]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/:3: price: /);
    expect(existsSync(store)).toBe(false);
  });
});

describe('wrong calls', () => {
  it.each<[string, string[], RegExp]>([
    ['unknown command', ['fly'], /unknown command/],
    ['unknown flag', ['candles', '--colour'], /unknown option/],
    ['unknown interval', ['candles', '--interval', '2m'], /--interval: "2m" is none of 1s/],
    ['bad time', ['candles', '--from', 'soon'], /--from: "soon" is neither/],
    ['unknown store', ['candles', '--store', 'mysql://x'], /--store: "mysql:\/\/x" is not sqlite:PATH/],
    ['no speed', ['replay', 'x.csv'], /--speed/],
    ['bad speed', ['replay', 'x.csv', '--speed', 'fast'], /--speed: "fast" is neither/],
    ['no file', ['import'], /missing required argument/],
    ['bad port', ['start', '--http-port', '99999'], /--http-port: "99999" is not a whole number from 0 to 65535/],
    ['bad source', ['import', 'x.csv', '--source', 'a b'], /--source/],
  ])('%s: exit code 2 and the reason', (_, args, message) => {
    const run = ticker(args, { cwd: dir.path });
    expect(run.code, run.stderr).toBe(2);
    expect(run.stderr).toMatch(message);
  });

  it('a store that does not exist, or is something else, is named', () => {
    const absent = ticker(['candles', '--store', `sqlite:${join(dir.path, 'nothing.db')}`]);
    expect(absent.code).toBe(1);
    expect(absent.stderr).toMatch(/nothing\.db/);
    expect(existsSync(join(dir.path, 'nothing.db'))).toBe(false);
    const other = ticker(['candles', '--store', `sqlite:${write('this is text, not a database '.repeat(50))}`]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('STORE_UNUSABLE');
  });

  it('an unknown symbol is answered with the known ones', () => {
    const store = `sqlite:${join(dir.path, 'known.db')}`;
    ticker(['import', write(`${CSV_HEADER}\n${GOOD}\n`), '--store', store]);
    const run = ticker(['candles', '--symbol', 'ibm', '--store', store]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/"ibm".*it has IBM/);
  });
});
