import { isItem } from '../../importers/cloud/item.js';
import { codeSource } from '../code-asset.js';
import { NoTemplate } from '../no-template.js';
import type { InventorySource } from '../types.js';
import { parseYamlFile } from '../yaml-file.js';
import { workflowConfiguration } from './workflow.js';

/** Whether a file is a workflow of GitHub Actions: by where it lies, or by its triggers and jobs. */
export function isWorkflow(name: string, head: string): boolean {
  if (!/\.ya?ml$/i.test(name) && name !== '-') return false;
  if (!/^(?:on|'on'|"on")\s*:/m.test(head) || !/^jobs\s*:/m.test(head)) return false;
  return /[\\/]?workflows[\\/][^\\/]+$/.test(name) || /^\s+(?:-\s+)?(?:runs-on|uses)\s*:/m.test(head);
}

/** A workflow of GitHub Actions. @throws NoTemplate */
export function readWorkflow(name: string, text: string): InventorySource {
  const { value, lines } = parseYamlFile(text);
  if (!isItem(value.jobs)) throw new NoTemplate('it has no jobs');
  const called = name.replace(/^.*[\\/]/, '').replace(/\.ya?ml$/i, '');
  return codeSource(name, 'github-workflow', [
    { type: 'github_workflow', name: called, configuration: workflowConfiguration(value), line: 1, endLine: lines },
  ]);
}
