import type { InventorySource } from '../types.js';
import { codeSource } from '../code-asset.js';
import { NoTemplate } from '../no-template.js';
import { imageOf } from './image.js';

/** Whether a file is a Dockerfile, by its name, or by its first instruction where its name says nothing. */
export function isDockerfile(name: string, head: string): boolean {
  if (/(?:^|[\\/])(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.(?:dockerfile|containerfile)$/i.test(name)) return true;
  return (
    !/\.\w+$/.test(name) &&
    /^(?:[ \t]*(?:#.*)?\r?\n|ARG[ \t].*\r?\n)*FROM[ \t]+(?:--platform=\S+[ \t]+)?\S+[ \t]*(?:AS[ \t]+\S+[ \t]*)?\r?\n/i.test(head)
  );
}

/** The image that a Dockerfile builds. @throws NoTemplate */
export function readDockerfile(name: string, text: string): InventorySource {
  const configuration = imageOf(text);
  if (configuration === undefined) throw new NoTemplate('a Dockerfile without a FROM builds nothing');
  const endLine = text.split('\n').length;
  return codeSource(name, 'dockerfile', [{ type: 'dockerfile_image', name: 'image', configuration, line: 1, endLine }]);
}
