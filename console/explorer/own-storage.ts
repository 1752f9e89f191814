import type { Storage } from '@graphiql/toolkit';

/** The browser's storage for one person in one tenant: who signs in after them finds neither their tabs nor their history. */
export function ownStorage(person: string, storage: globalThis.Storage = localStorage): Storage {
  const prefix = `explorer:${person}:`;
  const own = () => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter((key) => key.startsWith(prefix));
  return {
    getItem: (key) => storage.getItem(prefix + key),
    setItem: (key, value) => storage.setItem(prefix + key, value),
    removeItem: (key) => storage.removeItem(prefix + key),
    clear: () => own().forEach((key) => storage.removeItem(key)),
    get length() {
      return own().length;
    },
  };
}
