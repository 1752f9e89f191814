import type { Operation } from './document.js';

/** What is looked through, and how much a hit in it counts. */
const FIELDS: readonly (readonly [weight: number, text: (operation: Operation) => string])[] = [
  [8, ({ operationId, method, path }) => `${method} ${path} ${operationId}`],
  [4, ({ summary, tags }) => `${summary} ${tags.join(' ')}`],
  [2, ({ parameters }) => parameters.map(({ name }) => name).join(' ')],
  [1, ({ description }) => description],
];

/** Finds the endpoints that hold every word of `text`, those first that hold them in their address. */
export function searchOperations(operations: readonly Operation[], text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations
    .map((operation) => {
      const texts = FIELDS.map(([weight, read]) => [weight, read(operation).toLowerCase()] as const);
      const weights = words.map((word) => Math.max(0, ...texts.filter(([, hay]) => hay.includes(word)).map(([weight]) => weight)));
      return { operation, weight: weights.includes(0) ? 0 : weights.reduce((sum, weight) => sum + weight, 1) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ operation }) => operation);
}
