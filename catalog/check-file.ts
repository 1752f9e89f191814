import { detectFormat, fileSource, importers, readHead, type AssetInput, type ImportItem } from '../importers/index.js';
import type { Subject } from './cel/asset-value.js';
import type { Evaluation, RuleSet } from './evaluate.js';
import { readInventory } from './inventory.js';
import { subjectOf } from './subject.js';

/** The results of one resource of a file. */
export interface CheckedAsset {
  asset: AssetInput;
  subject: Subject;
  evaluations: Evaluation[];
}

/** What a file holds no inventory of, or cannot be read. */
export class NotAnInventory extends Error {
  override readonly name = 'NotAnInventory';
}

/** How a file was read. */
export interface CheckedFile {
  format: string;
  resources: number;
  /** Records that could not be read, and why. */
  broken: { position: string; reason: string }[];
  /** The file ends early: what stands behind that was not read. */
  truncated: boolean;
}

/** What is evaluated: each read gives the same items. */
export interface ReadableInventory {
  readonly format: string;
  read(): AsyncIterable<ImportItem>;
}

/**
 * Evaluates rules over the inventory in a file: a Terraform plan, a state, Kubernetes manifests, answers of a cloud's interfaces.
 * @param onAsset takes each resource with its results, in the file's order
 * @throws NotAnInventory when the file is of no format that holds an inventory
 */
export async function checkFile(
  path: string,
  rules: RuleSet,
  companions: ReadonlySet<string>,
  onAsset: (checked: CheckedAsset) => void,
): Promise<CheckedFile> {
  const source = fileSource(path);
  const importer = detectFormat(await readHead(source));
  if (importer === undefined || !INVENTORY_FORMATS.has(importer.name))
    throw new NotAnInventory(`${path} is no Terraform plan, Terraform state, Kubernetes manifest or export of a cloud's resources`);
  return checkInventory({ format: importer.name, read: () => importer.read(source, {}) }, rules, companions, onAsset);
}

/**
 * Evaluates rules over an inventory. It is read twice: for what surrounds the resources, and then resource by resource, so that its size does
 * not matter.
 * @param onAsset takes each resource with its results, in the order of the inventory
 * @param wants whether a resource is judged; those that are not surround the others all the same
 */
export async function checkInventory(
  source: ReadableInventory,
  rules: RuleSet,
  companions: ReadonlySet<string>,
  onAsset: (checked: CheckedAsset) => void,
  wants: (asset: AssetInput) => boolean = () => true,
): Promise<CheckedFile> {
  const inventory = await readInventory(source.read(), companions);
  const checked: CheckedFile = { format: source.format, resources: 0, broken: [], truncated: false };
  for await (const item of source.read()) {
    if (item.kind === 'broken' || item.kind === 'unanswered' || item.kind === 'truncated')
      checked.broken.push({ position: item.position, reason: item.reason });
    if (item.kind === 'truncated') checked.truncated = true;
    if (item.kind !== 'asset' || !wants(item.asset)) continue;
    checked.resources += 1;
    const subject = subjectOf(item.asset);
    onAsset({ asset: item.asset, subject, evaluations: rules.evaluate(subject, inventory) });
  }
  return checked;
}

/** The formats that hold an inventory with configurations. */
export const INVENTORY_FORMATS: ReadonlySet<string> = new Set(importers.filter(({ inventory }) => inventory).map(({ name }) => name));
