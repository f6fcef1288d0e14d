const PATHS = {
  overview: 'M2.5 13.5v-5M6.5 13.5v-9M10.5 13.5v-6M14 13.5v-11',
  sessions: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4ZM8 4.5V8l2.4 1.6',
  events: 'M2 4h.01M5 4h9M2 8h.01M5 8h9M2 12h.01M5 12h6',
  memories:
    'M8 3.9c2.9 0 5.2-.5 5.2-1.2S10.900 1.500 8 1.500s-5.200.500-5.200 1.200S5.100 3.900 8 3.900ZM2.800 2.700v10.600c0 .700 2.300 1.200 5.200 1.200s5.200-.500 5.200-1.200V2.700M2.800 8c0 .700 2.300 1.200 5.200 1.200s5.200-.500 5.200-1.200',
  cooldowns:
    'M4.500 1.800h7M4.500 14.200h7M5.500 1.800v2.700L8 8l2.500-3.500V1.800M5.500 14.200v-2.700L8 8l2.500 3.500v2.700',
  agents:
    'M8 7.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.500 14.500c.300-2.900 2.500-4.700 5.500-4.700s5.200 1.800 5.500 4.700',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.700 10.700 14 14',
  fleet:
    'M3.500 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12.500 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5 14.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5.500 4.500l5.200 2.600M6.800 11.600l3.900-2.500M3.800 6l.800 4.500',
  more: 'M3 7.900h.010v.200h-.010ZM8 7.900h.010v.200h-.010ZM13 7.900h.010v.200h-.010Z',
  review:
    'M8 1.500 13.500 3.500v4.200c0 3.300-2.300 5.700-5.500 6.800-3.200-1.100-5.500-3.500-5.500-6.800V3.500L8 1.500ZM5.600 7.800l1.700 1.700 3.100-3.300',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 2.2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
