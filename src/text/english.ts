import { ENGLISH_WORDS } from './english-words.ts'
import { plainWords } from './plain-words.ts'

/** Function words of the other languages that agents write notes in, which are not English words. */
const FOREIGN: ReadonlySet<string> = new Set(
  `der das und ist wird werden wurde wurden nicht nie niemals jede jeder jedes jeden ein eine einen einem einer mit für von vom zum zur bei nach vor
   auf aus oder aber wenn nur noch schon mehr kein keine keinen muss müssen kann können soll sollen sind dauert läuft braucht immer wieder nachts stunden
   sekunden minuten gelöscht neu dem den des sich über unter durch wegen ohne bis
   le les une et est sont dans pour pas ne que qui avec sans chaque jour jours toujours jamais du au aux être doit doivent peut ils elle nous vous cette ces
   après avant nuit heures secondes toutes tous supprimée supprimé
   el los las una un para con sin por se del cada nunca siempre hay debe deben puede pero más muy después antes noche horas segundos todos todas está
   están borra tarda necesita
   il gli della delle dello degli che è sono di ogni mai sempre deve devono può dopo prima notte tutti
   uma um é não são com sem em dos das cada deve pode depois antes todos noite nunca
   het een niet wordt worden elke nooit altijd moet kan zijn voor met naar maar ook geen wel
   och är inte alltid varje måste med för ett på og ikke hver skal af til
   nie się na przez każdej zawsze musi są oraz
   offen geschlossen brauchen erfordern erfordert laufen liegt startet aldrig
   ve ile için değil gece asla sonra önce yeniden
   dan yang tidak untuk dengan setiap pernah harus adalah dari
   nu și este sunt pentru fiecare niciodata niciodată trebuie după
   và không mỗi của được phải`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

const ENGLISH: ReadonlySet<string> = new Set(
  `the a an and or but is are was were be been being it its this that these those to of in on at by for from with without as into than then when while if
   not no never only also still must should can cannot could may might will would has have had does do did after before since until all every each any
   both more less about there here which who what where how why we you they he she our your their i s needs takes runs uses starts stops fails works
   because so per via use using don isn aren doesn didn wasn`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
/** Also in other languages: alone they prove nothing. */
const SHARED: ReadonlySet<string> = new Set(
  'a an in on at so as i he we was were also will do to per via no s and'.split(' '),
)

const LATIN = /\p{Script=Latin}/u
/** A lower-case word with a letter that English does not use, which excludes names. */
const ACCENTED = /^\p{Ll}*[^\x00-\x7fµ\P{L}]\p{Ll}*$/u

/**
 * Whether a text looks English: by its function words, or, where it has hardly any (`Cache disabled`, `Cache aktiviert`), by whether it is made of
 * words that English notes are made of. Names, code and numbers alone count as English: they are the same in every language.
 */
export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const others = letters.filter((letter) => !LATIN.test(letter)).length
  if (others > 0.3 * letters.length) return false
  // Quoted code has no language.
  const words = text.replace(/`[^`]*`/g, ' ').split(/[^\p{L}]+/u)
  let [foreign, english] = [0, 0]
  for (const word of words) {
    const lower = word.toLowerCase()
    if (ENGLISH.has(lower)) english += SHARED.has(lower) ? 0.5 : 1
    // In capitals it is an abbreviation.
    else if (/^.\p{Ll}*$/u.test(word) && (FOREIGN.has(lower) || ACCENTED.test(word))) foreign++
  }
  if (foreign > english) return false
  return english >= 1 || isFamiliar(text)
}

function isFamiliar(text: string): boolean {
  const words = plainWords(text)
  return words.length < 2 || words.filter((word) => ENGLISH_WORDS.has(word)).length * 2 > words.length
}
