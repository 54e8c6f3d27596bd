import type { Command } from '../command.ts';
import { CLAIM_COMMANDS } from './claims.ts';
import { GROUP_COMMANDS } from './groups.ts';
import { HASH_COMMANDS } from './hashes.ts';
import { KEY_COMMANDS } from './keys.ts';
import { PENDING_COMMANDS } from './pending.ts';
import { READ_COMMANDS } from './reads.ts';
import { SERVER_COMMANDS } from './server.ts';
import { STREAM_INFO_COMMANDS } from './stream-info.ts';
import { STREAM_COMMANDS } from './streams.ts';
import { STRING_COMMANDS } from './strings.ts';

/** Every command of the in-memory Redis by its lower-case name; the upper-case spelling is there to spare a conversion. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    SERVER_COMMANDS,
    KEY_COMMANDS,
    STRING_COMMANDS,
    HASH_COMMANDS,
    STREAM_COMMANDS,
    GROUP_COMMANDS,
    READ_COMMANDS,
    PENDING_COMMANDS,
    CLAIM_COMMANDS,
    STREAM_INFO_COMMANDS,
  ]
    .flatMap((family) => Object.entries(family))
    .flatMap(([name, command]) => [
      [name, command],
      [name.toUpperCase(), command],
    ]),
);
