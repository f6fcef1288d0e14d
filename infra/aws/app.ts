/** What `npx aws-cdk deploy` runs. docs/deploy.md says which settings (`-c name=value`) there are. */
import { App } from 'aws-cdk-lib'
import { NokosuStack } from './nokosu-stack.ts'
import { stackSettings } from './settings.ts'

const app = new App()
const settings = stackSettings((name) => app.node.tryGetContext(name))
new NokosuStack(app, 'Nokosu', settings)
app.synth()
