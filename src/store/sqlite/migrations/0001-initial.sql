-- The first schema; docs/spec/schema.md explains it. Times are Unix microseconds, decimals canonical text; a checksum
-- is the one of SCHEMA-16.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE instrument (
  instrument_id INTEGER PRIMARY KEY,
  symbol TEXT NOT NULL UNIQUE,
  shard INTEGER NOT NULL,
  source TEXT NOT NULL,
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  price_digits INTEGER NOT NULL DEFAULT 0,
  size_digits INTEGER NOT NULL DEFAULT 0,
  zone TEXT NOT NULL DEFAULT 'UTC',
  calendar TEXT NOT NULL DEFAULT 'always',
  closed_through_us INTEGER NOT NULL DEFAULT -9007199254740991,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE shard (
  shard INTEGER PRIMARY KEY,
  owner_term INTEGER NOT NULL DEFAULT 0,
  owner_token TEXT NOT NULL DEFAULT '',
  commit_no INTEGER NOT NULL DEFAULT 0,
  stream_epoch INTEGER,
  stream_seq INTEGER,
  source_cursor TEXT,
  watermark_us INTEGER NOT NULL DEFAULT -9007199254740991,
  checksum INTEGER NOT NULL
) STRICT;

-- Prices may be null: volume without an eligible price (D1).
CREATE TABLE candle (
  instrument_id INTEGER NOT NULL REFERENCES instrument,
  interval_code INTEGER NOT NULL,
  start_us INTEGER NOT NULL,
  open TEXT,
  high TEXT,
  low TEXT,
  close TEXT,
  volume TEXT NOT NULL,
  quote_volume TEXT NOT NULL,
  trades INTEGER NOT NULL,
  open_mark TEXT,
  close_mark TEXT,
  rev INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (instrument_id, interval_code, start_us)
) STRICT, WITHOUT ROWID;

CREATE TABLE part (
  part_id INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL REFERENCES shard,
  commit_no INTEGER NOT NULL,
  blocks_left INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- No foreign key to part: removing a part would have to search this table for it.
CREATE TABLE part_block (
  instrument_id INTEGER NOT NULL REFERENCES instrument,
  hour_us INTEGER NOT NULL,
  part_id INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (instrument_id, hour_us, part_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE segment (
  instrument_id INTEGER NOT NULL REFERENCES instrument,
  hour_us INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (instrument_id, hour_us)
) STRICT;
