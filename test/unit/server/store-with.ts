import type { Store } from '../../../src/store/index.ts';

/** A store with some of its methods replaced. */
export function storeWith(store: Store, fields: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const replaced: unknown = Reflect.get(fields, name);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
