import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { importInstances, type InstanceItem } from '../../importers/terraform/import.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import { placesOf } from '../place.js';
import { readSourceText, UnreadableText } from '../text.js';
import type { InventorySource, Place, Skipped } from '../types.js';
import { Estate, TooMuchWork } from './estate.js';
import { evaluate } from './evaluate.js';
import { loadHclParser } from './grammar.js';
import { instancesOf, type WrittenInstance } from './instances.js';
import { parseJsonValues } from './json-syntax.js';
import { isTerraformFile, moduleOfText, type Module } from './module.js';
import { ModuleInstance, type Given } from './module-instance.js';
import { parseHclFile } from './parse.js';
import { Trace } from './scope.js';
import type { Block } from './syntax.js';
import { fromPlain } from './value.js';

const FORMAT = 'terraform_hcl';

export interface RootModule {
  /** The folder, as the caller named it. */
  folder: string;
  /** The folder outside of which nothing is read, as the caller named it. */
  boundary: string;
  /** The files whose resources were asked for; all of the folder's where it is left out. */
  files?: readonly string[] | undefined;
  /** Whether a file is left out: its resources only surround the others. */
  isLeftOut?: ((file: string) => boolean) | undefined;
  /** Files of values of variables, beside those that Terraform reads itself. */
  variableFiles?: readonly string[];
  /** The text of the only file, where it comes from none. */
  text?: { file: string; content: string };
}

/** Terraform's configuration in a folder, as a plan would tell it: what is not known before is an open reference. */
export interface TerraformSource extends InventorySource {
  /** Folders of the modules that it calls. */
  readonly modules: readonly string[];
  /** Files that resources stand in. */
  readonly files: ReadonlySet<string>;
}

/**
 * Reads a root module, and the local modules that it calls.
 * @param modules those that were read before, by their folders
 */
export async function readTerraform(root: RootModule, modules = new Map<string, Module>()): Promise<TerraformSource> {
  await loadHclParser();
  const reader = new RootReader(root, modules);
  const written = reader.instances();
  const places = new Map(written.map(({ instance, ...place }) => [instance.address, place]));
  const wanted = root.files && new Set(root.files.map((file) => resolve(file)));
  const isWanted = (file: string): boolean => (wanted === undefined || wanted.has(file)) && root.isLeftOut?.(file) !== true;
  const { faults, skipped } = reader.estate;
  const shown = (file: string): string => reader.shown(file);
  async function* items(): AsyncGenerator<InstanceItem> {
    for (const { instance, references } of written)
      yield { kind: 'instance', instance: { ...instance, position: shown(instance.position) }, references };
    for (const { file, line, reason } of faults) yield { kind: 'broken', position: `${shown(file)} line ${line}`, reason };
    for (const reason of reader.gaveUp) yield { kind: 'truncated', position: shown(reader.folder), reason };
  }
  return {
    name: root.text?.file ?? (root.files?.length === 1 ? root.files[0]! : root.folder),
    format: FORMAT,
    isCode: true,
    namesFiles: true,
    read: (): AsyncIterable<ImportItem> => importInstances({ format: FORMAT, read: items }, {}),
    placeOf({ source }: AssetInput): Place {
      const place = places.get(source.address);
      return place === undefined ? { file: root.folder } : { file: shown(place.file), line: place.line, endLine: place.endLine };
    },
    wants: ({ source }: AssetInput) => isWanted(resolve(places.get(source.address)?.file ?? root.folder)),
    skipped: (): readonly Skipped[] => skipped.map((one) => ({ ...one, file: shown(one.file) })),
    isMadeFrom: (file) => reader.isMadeFrom(file),
    modules: reader.modules(),
    files: new Set(written.map(({ file }) => resolve(file))),
  };
}

const USUAL_VARIABLES = new Set(['terraform.tfvars', 'terraform.tfvars.json']);
/** Whether Terraform takes a file of values by itself. */
const isVariableFile = (name: string): boolean => USUAL_VARIABLES.has(name) || /\.auto\.tfvars(?:\.json)?$/.test(name);

class RootReader {
  readonly folder: string;
  readonly estate: Estate;
  /** Why not all of it was evaluated. */
  readonly gaveUp = new Set<string>();
  private readonly given = new Map<string, Given>();
  private readonly instance: ModuleInstance;
  private readonly visited = new Set<Module>();
  private readonly variableFiles = new Set<string>();
  /** What it is made from, by where it lies. */
  private parts: { root: string; folders: ReadonlySet<string>; files: ReadonlySet<string> } | undefined;

  constructor(
    private readonly root: RootModule,
    modules: Map<string, Module>,
  ) {
    this.folder = resolve(root.folder);
    this.estate = new Estate(this.folder, resolve(root.boundary), evaluate, modules);
    const { text } = root;
    const module = text === undefined ? this.estate.module(this.folder) : moduleOfText(this.folder, text.file, text.content);
    if (text !== undefined) this.estate.take(module);
    const regions = new Map<string, string>();
    this.instance = new ModuleInstance(module, '', this.given, this.estate, regions);
    this.readVariableFiles();
    this.attempt(() => {
      for (const [key, block] of module.providers) {
        const region = this.regionOf(block);
        if (region !== undefined) regions.set(key, region);
      }
    });
  }

  instances(): WrittenInstance[] {
    const written: WrittenInstance[] = [];
    this.attempt(() => {
      for (const one of instancesOf(this.instance)) written.push(one);
    });
    this.attempt(() => this.visit(this.instance));
    return written;
  }

  /** Does what evaluates expressions; where those have no end, what was found until then is what there is. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof TooMuchWork) this.gaveUp.add(error.message);
      // of a stack or a text that is full
      else if (error instanceof RangeError) this.gaveUp.add('its expressions go too deep, or make texts that are too long');
      else throw error;
    }
  }

  /** A file as the caller would name it. */
  shown(path: string): string {
    if (this.root.text !== undefined) return path;
    return join(this.root.folder, relative(this.folder, path));
  }

  modules(): string[] {
    return [...this.visited].map(({ folder }) => folder).filter((folder) => folder !== this.folder);
  }

  /** Files of the modules and of their variables, also those that are gone, and those that expressions read. */
  isMadeFrom(place: string): boolean {
    this.parts ??= this.madeOf();
    if (this.parts.files.has(place)) return true;
    const [folder, name] = [dirname(place), basename(place)];
    return (isTerraformFile(name) && this.parts.folders.has(folder)) || (isVariableFile(name) && folder === this.parts.root);
  }

  private madeOf(): NonNullable<RootReader['parts']> {
    const files = [...this.visited].flatMap((module) => module.files);
    const placeOf = (folder: string): string => placesOf(folder).at(-1)!;
    return {
      root: placeOf(this.folder),
      folders: new Set([this.folder, ...this.modules()].map(placeOf)),
      files: new Set([...files, ...this.variableFiles, ...this.estate.texts].flatMap(placesOf)),
    };
  }

  private visit(instance: ModuleInstance): void {
    this.visited.add(instance.module);
    for (const name of instance.module.calls.keys()) for (const child of instance.child(name)?.instances ?? []) this.visit(child);
  }

  private regionOf({ attributes }: Block): string | undefined {
    const expression = attributes.get('region');
    const region = expression && evaluate(expression, this.instance.scope(new Trace()));
    return typeof region === 'string' ? region : undefined;
  }

  /** `terraform.tfvars`, then `*.auto.tfvars` by name, then those that the caller names: the last one that sets a variable decides. */
  private readVariableFiles(): void {
    const names = this.root.text === undefined && existsSync(this.folder) ? readdirSync(this.folder) : [];
    const usual = names.filter((name) => USUAL_VARIABLES.has(name)).sort();
    const automatic = names.filter((name) => isVariableFile(name) && !USUAL_VARIABLES.has(name)).sort();
    const files = [
      ...[...usual, ...automatic].map((name) => join(this.folder, name)),
      ...(this.root.variableFiles ?? []).map((file) => resolve(file)),
    ];
    for (const file of files) {
      this.variableFiles.add(file);
      try {
        this.attempt(() => this.readVariables(file, readSourceText(file)));
      } catch (error) {
        if (!(error instanceof UnreadableText) && (error as NodeJS.ErrnoException).code === undefined) throw error;
        this.estate.faults.push({ file, line: 1, reason: (error as Error).message });
      }
    }
  }

  private readVariables(file: string, text: string): void {
    if (file.endsWith('.json')) {
      const values = parseJsonValues(text);
      if (values === undefined) this.estate.faults.push({ file, line: 1, reason: `${basename(file)} is no JSON object` });
      else for (const [name, value] of Object.entries(values)) this.given.set(name, { value: fromPlain(value) });
      return;
    }
    const { body, faults } = parseHclFile(text);
    this.estate.faults.push(...faults.map((fault) => ({ file, ...fault })));
    for (const [name, expression] of body.attributes) this.given.set(name, { expression, scope: this.instance.scope(new Trace()) });
  }
}

/** The root module of a single file: its folder's, of which the file's resources alone are asked for. */
export const rootOfFile = (file: string): RootModule => ({ folder: dirname(file), boundary: dirname(file), files: [file] });
