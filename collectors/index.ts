import type { Provider } from '../schema/model.js';
import type { Collector } from './types.js';

/** The collectors that there are. An account of any other provider can be connected, and is neither tried nor scanned. */
export const COLLECTORS: Readonly<Partial<Record<Provider, Collector>>> = {};
