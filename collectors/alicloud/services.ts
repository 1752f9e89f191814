import type { AlicloudService } from './product.js';
import { ACCESS } from './services/access.js';
import { DATA } from './services/data.js';
import { GATES } from './services/gates.js';
import { MACHINES } from './services/machines.js';

/** By service; what `importers/cloud/tables/alicloud.yaml` reads. */
export const ALICLOUD_SERVICES: readonly AlicloudService[] = [...MACHINES, ...DATA, ...ACCESS, ...GATES];
