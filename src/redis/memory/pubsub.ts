/** Channels and who listens. Messages arrive after the command that sent them, as they do over a socket. */
export class PubSub {
  readonly #channels = new Map<string, Map<object, Set<Listener>>>();

  /** `connection` counts once per channel, however many listeners it has. */
  subscribe(connection: object, channel: string, listener: Listener): () => void {
    const connections = this.#channels.get(channel) ?? new Map<object, Set<Listener>>();
    this.#channels.set(channel, connections);
    const listeners = connections.get(connection) ?? new Set<Listener>();
    connections.set(connection, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) connections.delete(connection);
      if (connections.size === 0 && this.#channels.get(channel) === connections) this.#channels.delete(channel);
    };
  }

  unsubscribeAll(connection: object): void {
    for (const [channel, connections] of this.#channels) {
      connections.get(connection)?.clear();
      connections.delete(connection);
      if (connections.size === 0) this.#channels.delete(channel);
    }
  }

  /** Answers how many connections listen. */
  publish(channel: string, message: string): number {
    const connections = this.#channels.get(channel);
    if (connections === undefined) return 0;
    for (const listeners of connections.values()) {
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener(message);
        });
      }
    }
    return connections.size;
  }
}

export type Listener = (message: string) => void;
