import { readArm } from './arm/read.js';
import { isArmTemplate } from './arm/template.js';
import { readCloudFormation } from './cloudformation/read.js';
import { isTemplate } from './cloudformation/template.js';
import type { InventorySource } from './types.js';

/** Reads a template by its name and its text. @throws NoTemplate */
export type ReadTemplate = (name: string, text: string) => InventorySource;

/** How a template of a cloud that begins so is read; undefined for what is none. */
export function templateReader(head: string): ReadTemplate | undefined {
  if (isArmTemplate(head)) return readArm;
  return isTemplate(head) ? readCloudFormation : undefined;
}
