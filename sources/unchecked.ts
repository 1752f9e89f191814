import { isDockerfile } from './dockerfile/read.js';

/** Files that describe infrastructure in a form that is not read, by their path. */
const UNCHECKED: readonly [pattern: RegExp, reason: string][] = [
  [/(?:^|\/)Chart\.ya?ml$/, 'a Helm chart: render it with helm template and check what that gives'],
  [/(?:^|\/)kustomization\.ya?ml$/, 'a kustomization: build it with kubectl kustomize and check what that gives'],
  [/\.bicep(?:param)?$/, 'a Bicep file: compile it with bicep build and check the template that gives'],
  [/(?:^|\/)Pulumi(?:\.[\w-]+)?\.ya?ml$/, 'Pulumi programs are not evaluated'],
  [/(?:^|\/)serverless\.(?:ya?ml|json)$/, 'files of the Serverless Framework are not evaluated'],
  [/(?:^|\/)terragrunt\.hcl$/, 'Terragrunt files are not evaluated: check the plan'],
  [/(?:^|\/)\.gitlab-ci\.ya?ml$/, 'GitLab pipelines are not evaluated'],
];

/** Why a file that describes infrastructure is not evaluated; undefined for one that is, or that describes none. */
export function whyUnchecked(path: string): string | undefined {
  const plain = path.replaceAll('\\', '/');
  return UNCHECKED.find(([pattern]) => pattern.test(plain))?.[1];
}

/** Whether a file may hold an inventory, by its name. */
export const mayHoldInventory = (name: string): boolean =>
  /\.(?:json|ya?ml|tfstate|template|jsonl|ndjson)(?:\.gz)?$/i.test(name) || isDockerfile(name, '');

/** Why source code is not evaluated, by what stands in it. */
export function whyNotCode(head: string): string | undefined {
  if (/\{\{-?\s*(?:\.Values|include|if|range)\b/.test(head)) return 'a Helm template: render it with helm template first';
  return undefined;
}

/** Why a file that was named cannot be evaluated. */
export const whyNot = (path: string, head: string): string =>
  whyUnchecked(path) ??
  whyNotCode(head) ??
  `${path} is no Terraform plan, Terraform state, Terraform source, CloudFormation or ARM template, Kubernetes manifest, Dockerfile, Compose file, GitHub workflow or export of a cloud's resources`;
