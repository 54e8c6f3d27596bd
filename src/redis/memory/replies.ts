import { RedisReplyError } from '../commands.ts';

/** Error replies that several commands give, in the server's exact words. */
export function wrongType(): RedisReplyError {
  return new RedisReplyError('WRONGTYPE Operation against a key holding the wrong kind of value');
}

export function syntaxError(): RedisReplyError {
  return new RedisReplyError('ERR syntax error');
}

export function wrongArity(command: string): RedisReplyError {
  return new RedisReplyError(`ERR wrong number of arguments for '${command}' command`);
}

export function notAnInteger(): RedisReplyError {
  return new RedisReplyError('ERR value is not an integer or out of range');
}

export function invalidStreamId(): RedisReplyError {
  return new RedisReplyError('ERR Invalid stream ID specified as stream command argument');
}

export function noGroup(key: string, group: string, where = ''): RedisReplyError {
  return new RedisReplyError(`NOGROUP No such key '${key}' or consumer group '${group}'${where}`);
}

export function noSuchKey(): RedisReplyError {
  return new RedisReplyError('ERR no such key');
}
