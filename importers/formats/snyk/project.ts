import { codePlace, imagePlace } from '../../normalize/artifact.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { asObject, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** Where projects stand: one is the report, several are an array, and an image holds those of its applications. */
export const PROJECTS = ['', 'applications[*].', '$[*].', '$[*].applications[*].'];
const MEMBERS = [
  'projectName',
  'displayTargetFile',
  'targetFile',
  'path',
  'packageManager',
  'docker',
  'error',
  'ok',
  'dependencyCount',
  'platform',
];
export const SNYK_SURROUNDINGS = PROJECTS.flatMap((at) => MEMBERS.map((member) => `${at}${member}`));

/** One tested project: a manifest, an image, a file of infrastructure code. */
export interface SnykProject {
  /** Of code and packages; findings in infrastructure code have the resources that it declares. */
  place: PlaceDraft;
  isImage: boolean;
  /** The manifest, from the root of the repository. */
  file: string | undefined;
  packageManager: string | undefined;
  /** Why it was not tested. */
  error: string | undefined;
}

const keyOf = (list: string, indices: readonly number[]): string => `${list} ${indices.join()}`;

/** The projects of a report by their place in it. */
export class SnykProjects {
  private readonly projects = new Map<string, SnykProject>();

  constructor(
    surroundings: Surroundings,
    private readonly options: ImportOptions,
  ) {
    const facts = new Map<string, { list: string; indices: number[]; members: Record<string, unknown> }>();
    for (const list of PROJECTS)
      for (const member of MEMBERS)
        for (const { indices, value } of surroundings.all(`${list}${member}`)) {
          const key = keyOf(list, indices);
          const found = facts.get(key) ?? { list, indices, members: {} };
          found.members[member] = value;
          facts.set(key, found);
        }
    // images before their applications, which lie in them
    for (const { list, indices, members } of [...facts.values()].sort((one, other) => one.list.length - other.list.length)) {
      const image = list.endsWith('applications[*].') ? this.at(list.replace('applications[*].', ''), indices.slice(0, -1)) : undefined;
      this.projects.set(keyOf(list, indices), projectOf(members, image, options));
    }
  }

  /** The project at a place; one of which nothing is told where there is none. */
  at(list: string, indices: readonly number[]): SnykProject {
    return this.projects.get(keyOf(list, indices)) ?? projectOf({}, undefined, this.options);
  }

  get all(): SnykProject[] {
    return [...this.projects.values()];
  }
}

function projectOf(members: JsonObject, image: SnykProject | undefined, options: ImportOptions): SnykProject {
  const text = (key: string): string | undefined => {
    const value = members[key];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const name = text('projectName');
  const packageManager = text('packageManager');
  const file = (text('displayTargetFile') ?? text('targetFile'))?.replaceAll('\\', '/');
  const shared = { file, packageManager, error: text('error') };
  if (image?.isImage === true) return { ...shared, place: image.place, isImage: true };
  const imageName = name?.startsWith('docker-image|') === true ? imageOf(name.slice('docker-image|'.length), text('path')) : undefined;
  const isImage =
    imageName !== undefined || (asObject(members['docker']) !== undefined && /^(?:deb|rpm|apk|linux)/.test(packageManager ?? ''));
  if (isImage) {
    const place = imagePlace(imageName ?? options.artifact ?? text('path') ?? name ?? 'image', options, { platform: text('platform') });
    return { ...shared, place, isImage };
  }
  return { ...shared, place: codePlace({ project: name, root: text('path') }, options), isImage: false };
}

/** The project has no tag in its name; the path that was tested begins with the whole reference. */
function imageOf(name: string, path: string | undefined): string {
  const rest = path?.startsWith(name) === true ? /^(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]+)?/.exec(path.slice(name.length))?.[0] : '';
  return `${name}${rest}`;
}
