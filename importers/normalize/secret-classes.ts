/**
 * Classes of secrets: what a finding of one is called, and the names that scanners have for it. Names are compared without case and
 * separators, so `AWS Access Key`, `aws-access-key` and `AwsAccessKey` are one.
 */
const CLASSES: readonly { id: string; label: string; names: string }[] = [
  {
    id: 'aws-access-key',
    label: 'AWS access key',
    names: 'aws, aws-access-token, aws-access-key-id, aws-secret-access-key, aws-api-key, aws-session-key, aws-session-token',
  },
  { id: 'azure-storage-key', label: 'Azure storage account key', names: 'azure-storage-account-key, azure-storage, azurestorage' },
  {
    id: 'azure-client-secret',
    label: 'Azure client secret',
    names: 'azure, azure-ad-client-secret, azure-entra, azureentraserviceprincipal',
  },
  { id: 'gcp-api-key', label: 'Google API key', names: 'gcp-api-key, google-api-key, googleapikey, google-gemini-api-key' },
  {
    id: 'gcp-service-account',
    label: 'Google Cloud service account key',
    names: 'gcp, google-gcp-service-account, google-cloud-keys, gcp-application-default-credentials',
  },
  { id: 'alibaba-access-key', label: 'Alibaba Cloud access key', names: 'alibaba, alibaba-access-key-id, alibaba-secret-key' },
  { id: 'ibm-cloud-key', label: 'IBM Cloud IAM key', names: 'ibm-cloud-iam-key, ibm-cos-hmac-credentials, ibmclouduserkey' },
  {
    id: 'digitalocean-token',
    label: 'DigitalOcean token',
    names: 'digitalocean-pat, digitalocean-access-token, digitalocean-refresh-token, digitaloceantoken, digitaloceanv2',
  },
  {
    id: 'github-token',
    label: 'GitHub token',
    names: 'github, github-pat, github-fine-grained-pat, github-oauth, github-app-token, github-refresh-token, github-oauth2, githubapp',
  },
  {
    id: 'gitlab-token',
    label: 'GitLab token',
    names:
      'gitlab, gitlab-pat, gitlab-ptt, gitlab-rrt, gitlab-personal-access-token, gitlab-runner-authentication-token, gitlab-deploy-token, gitlab-cicd-job-token, gitlabv2',
  },
  { id: 'bitbucket-secret', label: 'Bitbucket client secret', names: 'bitbucket-client-id, bitbucket-client-secret, bitbucketapppassword' },
  {
    id: 'slack-token',
    label: 'Slack token',
    names: 'slack, slack-access-token, slack-bot-token, slack-user-token, slack-app-token, slack-legacy-token, slack-config-access-token',
  },
  { id: 'slack-webhook', label: 'Slack webhook address', names: 'slack-web-hook, slack-webhook-url' },
  { id: 'teams-webhook', label: 'Microsoft Teams webhook address', names: 'microsoft-teams-webhook, microsoftteamswebhook' },
  { id: 'discord-token', label: 'Discord token', names: 'discord-api-token, discord-client-secret, discord-bot-token, discordwebhook' },
  { id: 'telegram-token', label: 'Telegram bot token', names: 'telegram-bot-api-token, telegrambottoken' },
  { id: 'stripe-key', label: 'Stripe access key', names: 'stripe, stripe-access-token, stripe-secret-token, stripe-publishable-token' },
  { id: 'square-token', label: 'Square token', names: 'square, square-access-token, square-oauth-secret, squareapp' },
  { id: 'paypal-token', label: 'PayPal token', names: 'paypaloauth, paypal-braintree-access-token' },
  { id: 'twilio-key', label: 'Twilio API key', names: 'twilio, twilio-api-key, twilioapikey' },
  { id: 'sendgrid-key', label: 'SendGrid API key', names: 'sendgrid, sendgrid-api-token, sendgrid-api-key' },
  { id: 'mailchimp-key', label: 'Mailchimp API key', names: 'mailchimp, mailchimp-api-key, mailchimp-access-key' },
  { id: 'mailgun-key', label: 'Mailgun API key', names: 'mailgun, mailgun-private-api-token, mailgun-signing-key, mailgun-token' },
  { id: 'npm-token', label: 'npm access token', names: 'npm, npm-access-token, npmtoken, npmtokenv2' },
  { id: 'pypi-token', label: 'PyPI upload token', names: 'pypi, pypi-upload-token, pypi-token' },
  { id: 'rubygems-token', label: 'RubyGems API token', names: 'rubygems, rubygems-api-token' },
  { id: 'docker-token', label: 'Docker registry credentials', names: 'docker, dockerhub, docker-config-secret, docker-auth-config' },
  {
    id: 'artifactory-token',
    label: 'Artifactory credentials',
    names: 'artifactory, artifactory-credentials, artifactory-api-key, artifactory-access-token, jfrog-api-key, artifactoryaccesstoken',
  },
  { id: 'heroku-key', label: 'Heroku API key', names: 'heroku, heroku-api-key' },
  {
    id: 'cloudflare-token',
    label: 'Cloudflare token',
    names: 'cloudflare-api-key, cloudflare-global-api-key, cloudflare-origin-ca-key, cloudflareapitoken',
  },
  { id: 'databricks-token', label: 'Databricks token', names: 'databricks-api-token, databrickstoken' },
  { id: 'hashicorp-vault-token', label: 'HashiCorp Vault token', names: 'vault-service-token, vault-batch-token, hashicorpvaultauth' },
  { id: 'terraform-token', label: 'Terraform Cloud token', names: 'hashicorp-tf-api-token, terraformcloudpersonaltoken' },
  { id: 'openai-key', label: 'OpenAI API key', names: 'openai, openai-api-key, openai-token' },
  { id: 'anthropic-key', label: 'Anthropic API key', names: 'anthropic, anthropic-api-key, anthropic-admin-api-key' },
  { id: 'huggingface-token', label: 'Hugging Face token', names: 'huggingface, huggingface-access-token, hugging-face-access-token' },
  { id: 'datadog-key', label: 'Datadog key', names: 'datadogtoken, datadog-access-token' },
  { id: 'newrelic-key', label: 'New Relic key', names: 'new-relic-user-api-key, new-relic-browser-api-token, newrelicpersonalapikey' },
  { id: 'atlassian-token', label: 'Atlassian token', names: 'atlassian, atlassian-api-token, jiratoken, confluence' },
  {
    id: 'shopify-token',
    label: 'Shopify token',
    names: 'shopify, shopify-access-token, shopify-shared-secret, shopify-custom-access-token, shopify-private-app-access-token',
  },
  { id: 'facebook-token', label: 'Facebook token', names: 'facebook, facebook-access-token, facebook-secret, facebookoauth' },
  {
    id: 'private-key',
    label: 'Private key',
    names:
      'private-key, rsa-private-key, ssh-dsa-private-key, ssh-ec-private-key, ssh-openssh-private-key, ssh-rsa-private-key, pgp-private-key, pgp-private-key-block, ec-private-key, dsa-private-key, openssh-private-key, pkcs8, pkcs8-key, rsa-pk, ssh-private-key, asymmetric-private-key, ssh, age-secret-key',
  },
  { id: 'json-web-token', label: 'JSON Web Token', names: 'jwt, jwt-base64, json-web-token, jwt-token' },
  {
    id: 'basic-auth',
    label: 'Password in an address',
    names: 'uri, url, password-in-url, basic-auth-credentials, basic-auth, curl-auth-user',
  },
  { id: 'authorization-header', label: 'Authorization header', names: 'curl-auth-header' },
  {
    id: 'database-credentials',
    label: 'Database credentials',
    names: 'postgres, mongodb, mysql, sqlserver, redis, jdbc, mongodb-connection-string, postgresql-connection-string, snowflake',
  },
  {
    id: 'keyword',
    label: 'Secret assigned to a name',
    names: 'secret-keyword, generic-api-key, generic-secret, generic-password, password, generic, keyword',
  },
  {
    id: 'high-entropy-text',
    label: 'Text that looks like a secret',
    names: 'base64-high-entropy-string, hex-high-entropy-string, high-entropy, entropy, high-entropy-string',
  },
];

const squash = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const BY_NAME = new Map(
  CLASSES.flatMap(({ id, label, names }) => [id, ...names.split(',')].map((name) => [squash(name), { id, label }] as const)),
);

/** The class of a secret by the name that a scanner has for it; undefined for one that is no scanner's but its own. */
export function secretClass(name: string): { id: string; label: string } | undefined {
  return BY_NAME.get(squash(name));
}

/** Classes whose members are guesses: words next to a name, texts without order. */
export const isGuess = (id: string): boolean => id === 'keyword' || id === 'high-entropy-text';
