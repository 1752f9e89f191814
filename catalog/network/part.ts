import type { InventoryResource } from '../resource.js';
import type { PartReading, ProviderTable } from './table.js';

/** A resource that is part of a network, and how its provider's table reads it. */
export interface Part {
  asset: InventoryResource;
  how: PartReading;
  table: ProviderTable;
}
