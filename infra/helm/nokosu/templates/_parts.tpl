{{- define "nokosu.labels" -}}
app.kubernetes.io/name: nokosu
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
