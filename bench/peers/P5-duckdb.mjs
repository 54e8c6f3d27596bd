// The same work in DuckDB: read the CSV, drop duplicates by (symbol, hour, id), build candles of ten intervals, into a file.
import { DuckDBInstance } from '@duckdb/node-api';

const [first, second] = process.argv.slice(2);
const dump = first === '--dump';
const instance = await DuckDBInstance.create(second, { threads: '1' });
const connection = await instance.connect();

if (dump) {
  const text = (column) => `rtrim(rtrim(cast(${column} as varchar), '0'), '.')`;
  const result = await connection.runAndReadAll(
    `select symbol, ivl, start_ms, ${['open', 'high', 'low', 'close'].map(text).join(', ')}, cast(volume as varchar), trades from candle`,
  );
  process.stdout.write(
    result
      .getRows()
      .map((row) => row.join(','))
      .join('\n'),
  );
} else {
  await connection.run(`create table trade as select distinct on (symbol, ts_ms // 3600000, id) symbol, ts_ms, price, size, id, seq
    from read_csv('${first}', header = true, columns = {symbol: 'varchar', ts_ms: 'bigint', price: 'decimal(18,4)', size: 'bigint',
    id: 'varchar', seq: 'bigint', exchange: 'varchar', conditions: 'varchar'})`);
  await connection.run(`create table candle (symbol varchar, ivl varchar, start_ms bigint, open decimal(18,4), high decimal(18,4),
    low decimal(18,4), close decimal(18,4), volume hugeint, trades bigint, primary key (symbol, ivl, start_ms))`);
  const fixed = { '1s': 1, '5s': 5, '1m': 60, '5m': 300, '15m': 900, '1h': 3600, '4h': 14400, '1d': 86400 };
  const starts = Object.entries(fixed).map(([name, seconds]) => [
    name,
    `ts_ms // ${seconds * 1000} * ${seconds * 1000}`,
  ]);
  starts.push(
    ['1w', `epoch_ms(date_trunc('week', make_timestamp(ts_ms * 1000)))`],
    ['1M', `epoch_ms(date_trunc('month', make_timestamp(ts_ms * 1000)))`],
  );
  for (const [name, start] of starts) {
    await connection.run(`insert into candle select symbol, '${name}', ${start} as start_ms, arg_min(price, (ts_ms, seq, id)), max(price),
      min(price), arg_max(price, (ts_ms, seq, id)), sum(size), count(*) from trade group by symbol, start_ms`);
  }
}
connection.closeSync();
