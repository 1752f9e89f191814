// The side of a thread that answers questions about an estate; estate.ts is the other one.
import { serveThread } from '../work/thread-side.js';
import type { AddAssets, EstateAsset } from './estate.js';

const isAdd = (request: object): request is AddAssets => 'add' in request;

/**
 * Answers those who ask by `withEstate`: the whole of such a thread's entry file.
 * @param begin makes of the assets what answers, once they are all there: when the first question comes
 */
export function serveEstate<Request extends object, Reply>(begin: (assets: EstateAsset[]) => (request: Request) => Reply): void {
  serveThread<null, AddAssets | Request, Reply | null>(() => {
    const assets: EstateAsset[] = [];
    let answer: ((request: Request) => Reply) | undefined;
    return {
      opened: null,
      ask(request) {
        if (!isAdd(request)) return (answer ??= begin(assets))(request);
        assets.push(...request.add);
        return null;
      },
    };
  });
}
