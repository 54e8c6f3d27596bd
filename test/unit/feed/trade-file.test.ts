import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatDecimal } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import { openTradeFile, requireGoodRows } from '../../../src/feed/formats/trade-file.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { collect, faultsOf, hashOf, inFolder, NOW_MS, refusalOf, ticksOf, withInput } from './input.ts';

const FIXTURES = 'test/fixtures/trades';
const HEADER = 'symbol,ts_ms,price,size,id\n';
const ROW = 'ACME,1381236469457,182.1,300,1';

function fixture(name: string): Promise<Buffer> {
  return readFile(join(FIXTURES, name));
}

function textOf({ price, size, ...rest }: Tick) {
  return { ...rest, price: formatDecimal(price), size: formatDecimal(size) };
}

describe('openTradeFile', () => {
  it('R8 R13 R40 CSV and JSON lines of the same trades are the same ticks, to the last digit', async () => {
    const csv = await ticksOf(await fixture('small.csv'));
    expect(csv.map(textOf)).toEqual([
      {
        symbol: 'ACME',
        tsUs: 1_381_236_469_457_000,
        ns: 0,
        seq: 1,
        id: '1',
        price: '182.1',
        size: '300',
        exchange: 'P',
        conditions: '13',
        side: 'buy',
      },
      {
        symbol: 'ACME',
        tsUs: 1_381_236_469_457_000,
        ns: 0,
        seq: 2,
        id: '2',
        price: '182.06',
        size: '100',
        exchange: 'P',
        conditions: '14;41',
        side: '',
      },
      {
        symbol: 'GLOBEX',
        tsUs: 1_381_236_470_001_000,
        ns: 0,
        seq: 3,
        id: '9007199254740993',
        price: '0.00000125',
        size: '1.5',
        exchange: '',
        conditions: '',
        side: 'sell',
      },
    ]);
    expect((await ticksOf(await fixture('small.jsonl'))).map(textOf)).toEqual(csv.map(textOf));
  });

  it('R13 a JSON number is taken from its text: no rounding of prices, sequence numbers or ids', async () => {
    const line =
      '{"symbol":"A","ts_ms":1381236469457,"price":0.123456789012345678,"size":1e-18,"id":1,"seq":18446744073709551615}';
    const [tick] = await ticksOf(line);
    expect(formatDecimal(tick?.price ?? { units: 0, digits: 0 })).toBe('0.123456789012345678');
    expect(formatDecimal(tick?.size ?? { units: 0, digits: 0 })).toBe('0.000000000000000001');
    expect(tick?.seq).toBe(18_446_744_073_709_551_615n);
  });

  it('R8 each time column is read in its unit, down to the nanosecond', async () => {
    const timeOf = async (column: string, value: string) => {
      const [tick] = await ticksOf(`symbol,${column},price,size,id\nA,${value},1,1,1\n`);
      return [tick?.tsUs, tick?.ns];
    };
    expect(await timeOf('ts_ms', '1381236469457')).toEqual([1_381_236_469_457_000, 0]);
    expect(await timeOf('ts_us', '1381236469457123')).toEqual([1_381_236_469_457_123, 0]);
    expect(await timeOf('ts_ns', '1381236469457123987')).toEqual([1_381_236_469_457_123, 987]);
    expect(await timeOf('ts', '2013-10-08T12:47:49.457123987Z')).toEqual([1_381_236_469_457_123, 987]);
    expect(await timeOf('ts', '2013-10-08 08:47:49.4-04:00')).toEqual([1_381_236_469_400_000, 0]);
    expect(await timeOf('ts', '2012-02-29T23:59:59+0530')).toEqual([1_330_540_199_000_000, 0]);
  });

  it('R9 an event time up to a minute ahead is a trade, one further ahead is not', async () => {
    expect(await faultsOf(`${HEADER}ACME,${NOW_MS + 60_000},1,1,1\nACME,${NOW_MS + 60_001},1,1,2\n`)).toEqual([
      'trades.csv:3: ts_ms: lies in the future: "1700000060001"',
    ]);
  });

  it('R17 zero and negative prices are trades where the caller says so', async () => {
    const content = `${HEADER}ACME,1381236469457,-37.63,1,1\nACME,1381236469457,0,1,2\n`;
    expect(await faultsOf(content)).toEqual(['trades.csv:2: price: is negative', 'trades.csv:3: price: is zero']);
    expect(await ticksOf(content, { allowNonPositivePrice: true })).toHaveLength(2);
  });

  it('D6 a row without an id is known by the content of its file and its number', async () => {
    const content = await fixture('no-id.csv');
    await withInput(content, async (file) => {
      expect(file).toMatchObject({ hasIds: false, ignoredFields: ['venue note'], contentHash: hashOf(content) });
      const ids = (await collect(file)).map((tick) => tick.id);
      expect(ids).toEqual([`${hashOf(content)}:0000000001`, `${hashOf(content)}:0000000002`]);
    });
  });

  it('D6 zipping a file changes neither its hash nor its rows; blank and bad lines do not move the numbers of others', async () => {
    const content = `symbol,ts_ms,price,size\n\nA,1381236469457,x,1\nA,1381236469457,1,1\n`;
    const plain = await ticksOf(content);
    expect(plain.map((tick) => tick.id)).toEqual([`${hashOf(content)}:0000000002`]);
    expect(await ticksOf(gzipSync(content))).toEqual(plain);
    expect(await ticksOf(Buffer.concat([gzipSync(content.slice(0, 40)), gzipSync(content.slice(40))]))).toEqual(plain);
  });

  it('R24 reports symbols, rows, faults and progress; the sum of the batches is the file', async () => {
    const progress: number[] = [];
    const rows = Array.from(
      { length: 5_000 },
      (_, i) => `${i % 2 ? 'ACME' : 'HOOLI'},${1_381_236_469_457 + i},${i === 77 ? 'x' : 5},1,${i}`,
    );
    const onProgress = (read: number, size: number): number => progress.push(read / size);
    await withInput(
      HEADER + rows.join('\n'),
      async (file) => {
        expect(file).toMatchObject({ format: 'csv', hasIds: true, rows: 5_000, faultCount: 1, ignoredFields: [] });
        expect([...file.symbols].sort()).toEqual(['ACME', 'HOOLI']);
        expect(await collect(file)).toHaveLength(4_999);
      },
      { onProgress },
    );
    expect(progress.at(-1)).toBe(1);
    expect(progress.length).toBeGreaterThan(1);
  });
});

describe('tolerated forms', () => {
  const plain = ticksOf(`${HEADER}${ROW}\n`);

  it.each([
    ['no newline at the end', `${HEADER}${ROW}`],
    ['CRLF', `${HEADER}${ROW}\n`.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${HEADER}${ROW}\n`],
    ['empty lines', `\n${HEADER}\n  \n\r\n${ROW}\n\n`],
    ['quoted fields', '"symbol",ts_ms,price,size,"id"\n"ACME","1381236469457",182.1,"300","1"\n'],
    ['blanks round fields', 'symbol, ts_ms, price, size, id\nACME, 1381236469457, 182.1 ,\t300, 1\n'],
    ['other order and other columns', 'id,x,price,size,ts_ms,symbol\n1,,182.1,300,1381236469457,ACME\n'],
    ['gzip under any name', gzipSync(`${HEADER}${ROW}\n`)],
    [
      'JSON lines with blanks',
      ' { "symbol" : "ACME" , "ts_ms" : 1381236469457, "price":"182.1","size":300,"id":"1" } \r\n',
    ],
    [
      'JSON escapes',
      '{"symbol":"\\u0041CME","ts_ms":1381236469457,"price":182.1,"size":300,"id":"1","note":"\\"}{[","more":[{"a":"]"}]}',
    ],
  ])('T1 %s', async (_, content) => {
    expect(await ticksOf(content)).toEqual(await plain);
  });

  it('T1 quotes may hold commas and doubled quotes, ids any script', async () => {
    const [tick] = await ticksOf(`${HEADER}ACME,1381236469457,1,1,"a,""b"" – ü 取引 🎺"\n`);
    expect(tick?.id).toBe('a,"b" – ü 取引 🎺');
  });

  it('T1 a header without rows is a file without trades', async () => {
    await withInput(HEADER, async (file) =>
      expect([file.rows, file.faultCount, await collect(file)]).toEqual([0, 0, []]),
    );
  });

  it('T1 characters and lines survive every place where chunks are cut', async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => `ACME,1381236469457,1,1,${'ü取🎺'.repeat(1 + (i % 7))}${i}`);
    const ticks = await ticksOf(HEADER + rows.join('\r\n'));
    expect(ticks.map((tick) => tick.id)).toEqual(rows.map((row) => row.split(',')[4]));
  });

  it('F1 a line without end costs one fault and no memory, and the next line is read', async () => {
    for (const junk of ['x'.repeat(65_537), 'x'.repeat(1_000_000), '取'.repeat(400_000), '🎺'.repeat(300_000)]) {
      const faults = await faultsOf(`${HEADER}${ROW}\n${junk}\n${ROW}\nbad\n`);
      expect(faults).toEqual([
        'trades.csv:3: is longer than 65536 characters',
        'trades.csv:5: has 1 columns, the header has 5',
      ]);
    }
  });
});

describe('whole files', () => {
  it.each([
    ['', 'INPUT_FORMAT: trades.csv: is empty: not even a header'],
    [' \n\n', 'INPUT_FORMAT: trades.csv: is empty: not even a header'],
    [
      `${ROW}\n`,
      'INPUT_FORMAT: trades.csv: the column symbol is missing; the first line must be a header, found: ACME, 1381236469457, 182.1, 300, 1',
    ],
    [
      'symbol,ts_ms,price,id\n',
      'INPUT_FORMAT: trades.csv: the column size is missing; the first line must be a header, found: symbol, ts_ms, price, id',
    ],
    [
      'symbol,time,price,size\n',
      'INPUT_FORMAT: trades.csv: a time column is missing, one of ts_ms, ts_us, ts_ns, ts; the first line must be a header, found: symbol, time, price, size',
    ],
    ['symbol,ts_ms,price,size,price\n', 'INPUT_FORMAT: trades.csv: the column price is given twice'],
    ['symbol,ts_ms,price,size,ts\n', 'INPUT_FORMAT: trades.csv: has two time columns, ts_ms and ts: keep one'],
    ['symbol,ts_ms,,price,size\n', 'INPUT_FORMAT: trades.csv: column 3 of the header has no name'],
    [
      'symbol,"ts_ms,price,size\n',
      'INPUT_FORMAT: trades.csv: the header has a quoted field that does not end on its line',
    ],
    ['[{"symbol":"A"}]\n', 'INPUT_FORMAT: trades.csv: is a JSON array; write one object a line'],
    ['PK\x03\x04..', 'INPUT_FORMAT: trades.csv: is a zip archive; CSV and JSON lines are read, plain or gzipped'],
    [
      Buffer.from('28b52ffd2004', 'hex'),
      'INPUT_FORMAT: trades.csv: is a zstd file; CSV and JSON lines are read, plain or gzipped',
    ],
    [
      Buffer.from('fd377a585a00', 'hex'),
      'INPUT_FORMAT: trades.csv: is an xz file; CSV and JSON lines are read, plain or gzipped',
    ],
    [Buffer.from('symbol,price', 'utf16le'), 'INPUT_FORMAT: trades.csv: is not UTF-8 text'],
    [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0, 1]), 'INPUT_FORMAT: trades.csv: is not UTF-8 text'],
    [
      gzipSync(`${HEADER}${ROW}`).subarray(0, -9),
      'INPUT_INVALID: trades.csv: cannot be read: its gzip data is truncated',
    ],
    [Buffer.from([0x1f, 0x8b]), 'INPUT_INVALID: trades.csv: cannot be read: its gzip data is truncated'],
    [flipped(gzipSync(`${HEADER}${ROW}`), -6), 'INPUT_INVALID: trades.csv: cannot be read: its gzip data is corrupted'],
  ])('F1 refuses %j', async (content, message) => {
    expect(await refusalOf(content)).toBe(message);
  });

  it('F1 a large truncated gzip is refused although its first rows are good', async () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => `ACME,${1_381_236_469_457 + i},${i},1,${i}`);
    const whole = gzipSync(HEADER + rows.join('\n'));
    expect(await refusalOf(whole.subarray(0, whole.length / 2))).toContain('its gzip data is truncated');
  });

  it('F1 refuses what is not there and what is no file, by name', async () => {
    await inFolder(async (folder) => {
      const gone = join(folder, 'gone.csv');
      await expect(openTradeFile(gone)).rejects.toThrow(`${gone}: cannot be read: there is no such file`);
      await expect(openTradeFile(folder)).rejects.toThrow(`${folder}: cannot be read: it is a directory`);
    });
  });

  it('F1 a file that changes between the two readings is a failure, not other trades', async () => {
    await withInput(`${HEADER}${ROW}\n`, async (file, path) => {
      await writeFile(path, `${HEADER}${ROW.replace('182.1', '182.2')}\n`);
      await expect(collect(file)).rejects.toThrow(/changed while it was being read$/);
    });
  });

  it('F1 requireGoodRows names the first bad rows and counts the rest', async () => {
    const bad = Array.from({ length: 25 }, (_, i) => `ACME,1381236469457,x,1,${i}`).join('\n');
    await withInput(`${HEADER}${ROW}\n`, async (file) => expect(() => requireGoodRows(file)).not.toThrow());
    await withInput(HEADER + bad, async (file, path) => {
      const [first, ...others] = `${path}:2: price: is not a number: "x"`.split('\n');
      expect(others).toEqual([]);
      expect(() => requireGoodRows(file)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
      expect(() => requireGoodRows(file)).toThrow(first);
      expect(() => requireGoodRows(file)).toThrow('.. and 5 more');
    });
  });
});

describe('standard input', () => {
  it.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['gzipped', (text: string) => gzipSync(text)],
  ])('D6 is spooled (%s), read twice, and leaves nothing behind', async (_, encode) => {
    await inFolder(async (tmpDir) => {
      const content = `symbol,ts_ms,price,size\nACME,1381236469457,1,1\n`;
      const bytes = encode(content);
      const stdin = Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]);
      const file = await openTradeFile('-', { stdin, tmpDir, clock: createVirtualClock(NOW_MS) });
      expect(file.name).toBe('standard input');
      expect((await collect(file)).map((tick) => tick.id)).toEqual([`${hashOf(content)}:0000000001`]);
      expect(await collect(file)).toHaveLength(1);
      await file.close();
      expect(await readdir(tmpDir)).toEqual([]);
    });
  });

  it('D6 leaves nothing behind when it fails or is refused', async () => {
    await inFolder(async (tmpDir) => {
      const broken = new Readable({
        read() {
          this.destroy(new Error('the pipe broke'));
        },
      });
      await expect(openTradeFile('-', { stdin: broken, tmpDir })).rejects.toThrow(
        'standard input: cannot be read: the pipe broke',
      );
      const stdin = Readable.from([Buffer.from('nonsense\n')]);
      await expect(openTradeFile('-', { stdin, tmpDir })).rejects.toThrow(
        'standard input: the column symbol is missing',
      );
      expect(await readdir(tmpDir)).toEqual([]);
    });
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = copy.length + at;
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}
