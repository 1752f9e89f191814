import { readArm } from './arm/read.js';
import { isArmTemplate } from './arm/template.js';
import { readCloudFormation } from './cloudformation/read.js';
import { isTemplate } from './cloudformation/template.js';
import { isCompose, readCompose } from './compose/read.js';
import { isDockerfile, readDockerfile } from './dockerfile/read.js';
import type { InventorySource } from './types.js';
import { isWorkflow, readWorkflow } from './workflow/read.js';

/**
 * Reads source code by its file's name and its text.
 * @param isAlone the file was named: no folder is searched in which what it includes would be found by itself (true when left out)
 * @throws NoTemplate
 */
export type ReadTemplate = (name: string, text: string, isAlone?: boolean) => InventorySource;

/** Source code that one file holds: how it is recognised, by the name and how the text begins, and how it is read. */
const KINDS: readonly [is: (name: string, head: string) => boolean, read: ReadTemplate][] = [
  [(_, head) => isArmTemplate(head), readArm],
  [(_, head) => isTemplate(head), readCloudFormation],
  [isDockerfile, readDockerfile],
  [isWorkflow, readWorkflow],
  [isCompose, readCompose],
];

/** How source code of a file that begins so is read; undefined for what is none. */
export const templateReader = (name: string, head: string): ReadTemplate | undefined => KINDS.find(([is]) => is(name, head))?.[1];
