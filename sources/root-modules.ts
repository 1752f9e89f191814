import { resolve } from 'node:path';
import { loadHclParser } from './terraform/grammar.js';
import { moduleIn, type Module } from './terraform/module.js';
import { readTerraform, type RootModule, type TerraformSource } from './terraform/read.js';

interface Asked {
  module: RootModule;
  /** It was named itself, not found below a folder. */
  isNamed: boolean;
}

/** Modules of Terraform that were asked for, of which those that others call are judged as they are called. */
export class RootModules {
  private readonly asked = new Map<string, Asked>();
  private readonly read = new Map<string, Module>();

  take(module: RootModule, isNamed: boolean): void {
    const key = resolve(module.folder);
    const known = this.asked.get(key);
    if (known === undefined) {
      this.asked.set(key, { module, isNamed });
      return;
    }
    known.isNamed ||= isNamed;
    const before = known.module.files;
    const files = module.files === undefined || before === undefined ? undefined : [...before, ...module.files];
    known.module = { ...known.module, files };
  }

  /** Those that were named, and those that none of the others reaches: of modules that call each other, the first. */
  async sources(variableFiles: readonly string[]): Promise<TerraformSource[]> {
    if (this.asked.size === 0) return [];
    await loadHclParser();
    const made = new Map<string, TerraformSource>();
    const reached = new Set<string>();
    for (const key of this.callersFirst()) {
      const { module, isNamed } = this.asked.get(key)!;
      if (!isNamed && module.files === undefined && reached.has(key)) continue;
      const source = await readTerraform({ ...module, variableFiles }, this.read);
      made.set(key, source);
      for (const folder of source.modules) reached.add(folder);
    }
    return [...this.asked.keys()].flatMap((key) => made.get(key) ?? []);
  }

  /** Folders in an order in which who calls comes before whom it calls, as far as there is one. */
  private *callersFirst(): Generator<string> {
    const callees = new Map([...this.asked.keys()].map((key) => [key, this.calledBy(key)]));
    const callers = new Map([...callees.keys()].map((key) => [key, 0]));
    for (const called of callees.values()) for (const key of called) callers.set(key, callers.get(key)! + 1);
    const ready = [...callers].filter(([, count]) => count === 0).map(([key]) => key);
    const waiting = new Set(callers.keys());
    while (waiting.size > 0) {
      const key = ready.shift() ?? [...waiting.keys()][0]!;
      if (!waiting.delete(key)) continue;
      yield key;
      for (const called of callees.get(key)!) {
        const left = callers.get(called)! - 1;
        callers.set(called, left);
        if (left === 0) ready.push(called);
      }
    }
  }

  /** The modules among those that were asked for which one names as its own, whether it makes any of them or none. */
  private calledBy(key: string): string[] {
    const folders = [...moduleIn(key, this.read).calls.values()].flatMap(({ block }) => {
      const source = block.attributes.get('source');
      const text = source?.kind === 'literal' ? String(source.value) : '';
      return text.startsWith('.') ? [resolve(key, text)] : [];
    });
    return [...new Set(folders)].filter((folder) => folder !== key && this.asked.has(folder));
  }
}
