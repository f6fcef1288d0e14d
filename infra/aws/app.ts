/** `npx aws-cdk deploy` runs this. The README of this folder's page, docs/deploy.md, says which `-c` settings there are. */
import { App } from 'aws-cdk-lib'
import { NokosuStack } from './nokosu-stack.ts'
import { stackSettings } from './settings.ts'

const app = new App()
const settings = stackSettings((name) => app.node.tryGetContext(name))
new NokosuStack(app, 'Nokosu', settings)
app.synth()
