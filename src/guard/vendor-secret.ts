import type { SecretRule } from './secret-rule.ts'
import { isPath, isPlaceholder, isWordLike, looksRandom } from './secret-value.ts'

/** Services whose keys have no format of their own: only the name next to them identifies them. */
const VENDORS =
  'adafruit adobe airbrake airtable aiven algolia anypoint apify appcues asana auth0 axiom beamer bitbucket bitly blazemeter braintree browserstack bugsnag calendly chartmogul checkr clearbit clickup cloudinary codacy codeclimate codemagic coinbase confluent contentful convertkit coveralls datadog deepgram deepl doppler dropbox dwolla dynatrace easypost elevenlabs etsy everhour fastly figma finnhub firecrawl flickr flutterwave freshbooks freshdesk getresponse gocardless greenhouse groq hasura heroku hubspot intercom ipinfo ipstack jotform jumpcloud kraken kucoin launchdarkly linkedin lob logz mailchimp mailgun mailjet mandrill mapbox messagebird mixpanel mux netlify newrelic ngrok nightfall notion nytimes onesignal onfido opsgenie optimizely paypal pendo pipedrive plaid planetscale postmark prefect pusher rapidapi readme refiner replicate ringcentral rollbar salesforce sendbird sendinblue shippo shodan shopify snyk sourcegraph splunk spotify stackhawk statuspage storyblok stytch sumologic surveymonkey tailscale tableau todoist travisci trello twilio twitter typeform uploadcare vercel virustotal weatherapi webflow wepay wrike yandex zapier zendesk zenscrape zeplin'.split(
    ' ',
  )

export const VENDOR_RULES: readonly SecretRule[] = [
  {
    id: 'vendor-secret',
    keywords: VENDORS.join('|'),
    pattern: new RegExp(
      `(?<![\\w.@/-])(?:${VENDORS.join('|')})(?:[-_ ](?:api|app|auth|access|secret|private|key|token|pat|x)){0,3}["']?\\s{0,3}(?:[=:,]|\\s)\\s{0,3}["']?([A-Za-z0-9_=-]{20,512})(?![\\w.@/-])`,
      'gi',
    ),
    // Forty and sixty-four hexadecimal digits are a commit or a digest more often than a key.
    accept: (secret) =>
      /\d/.test(secret) &&
      looksRandom(secret) &&
      !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(secret) &&
      !isPlaceholder(secret) &&
      !isWordLike(secret) &&
      !isPath(secret),
  },
]
