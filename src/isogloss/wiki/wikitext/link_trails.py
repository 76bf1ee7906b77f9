"""Letters that belong to a link though they stand behind it: the *s* of ``[[house]]s``.

They are a property of a wiki's language: `$linkTrail` in MediaWiki's `MessagesXx.php`. What is
here is that table as sets of letters; a language that is not listed has a to z, and the wikis in
Chinese have none. Two rules that are more than a set are left out: Breton *c'h*, and the
apostrophe of Catalan and Karakalpak.
"""

from functools import lru_cache

import numpy as np

from isogloss.arrays import Bytes1d

TABLE_SIZE = 0x10000
_A_TO_Z = "abcdefghijklmnopqrstuvwxyz"

_FRENCH = "àâçéèêîôûäëïöüùÇÉÂÊÎÔÛÄËÏÖÜÀÈÙ"
_GERMAN = "äöüß"
_SPANISH = "áéíóúñ"
_ITALIAN = "àéèíîìóòúù"
_PORTUGUESE = "áâãàéêẽçíòóôõq̃úüűũ"
_DUTCH = "äöüïëéèà"
_RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
_UKRAINIAN = "абвгґдеєжзиіїйклмнопрстуфхцчшщьєюяёъы“»"
_BELARUSIAN = "абвгґджзеёжзійклмнопрстуўфхцчшыьэюяćčłńśšŭźž"
_POLISH = "ęóąśłżźćńĘÓĄŚŁŻŹĆŃ"
_SLOVENE = "čćđžš"
_TURKISH = "ÇĞçğİıÖöŞşÜüÂâÎîÛû"
_ESTONIAN = "äöõšüž"
_NORWEGIAN = "æøå"
_LITHUANIAN = "ąčęėįšųūž"
_LATVIAN = "ABCDEFGHIJKLMNOPQRSTUVWXYZĀāČčĒēĢģĪīĶķĻļŅņŠšŪūŽž"
_ROMANIAN = "ăâîşţșțĂÂÎŞŢȘȚ"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψωςΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩάέήίόύώϊϋΐΰΆΈΉΊΌΎΏΪΫ"
_ARMENIAN = "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև«»"
_GEORGIAN = "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ“»"
_PERSIAN = "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیآأئؤة"
_ARABIC, _HEBREW = "ء-ي", "א-ת"
_HINDI = "ऀ-ॣ०-꣠-ꣿ"

# In the languages of the second table a to z is no part of it.
_WITH_LATIN = {
    "ar arz ary": _ARABIC, "he yi": _HEBREW, "hi mai sa": _HINDI, "ml": "ം-ൿ", "or": "଀-୿",
    "als bar de dsb gsw hsb lb nds pdc pfl stq": _GERMAN, "frr": "äöüßåāđē",
    "ksh": "äöüėëĳßəğåůæœç", "fy": "àáèéìíòóùúâêîôûäëïöü", "li nds-nl nl srn vls zea": _DUTCH,
    "an ast ay cbk-zam es eu ext gn lad nah qu": _SPANISH,
    "atj bm ff fr gcr kab kbp ln mg nrm pcd sg ty vi wo": _FRENCH,
    "br": "ABCDEFGHIJKLMNOPQRSTUVWXYZñÑ" + _FRENCH, "frp": "àâçéèêîœôû·’æäåāăëēïīòöōùü‘",
    "ht": "àèòÀÈÒ", "oc": "àâçéèêîôû", "wa": "åâêîôûçéè", "ca": "àèéíòóúç·ïü",
    "co eml fur it lij lmo mt nap pms roa-tara scn vec": _ITALIAN,
    "gl mwl pt tet": _PORTUGUESE, "cy": "àáâèéêìíîïòóôûŵŷ", "rmy ro roa-rup": _ROMANIAN,
    "da kl nb nn no": _NORWEGIAN, "sv": "åäöéÅÄÖÉ", "is": "-–áðéíóúýþæö", "fo": "áðíóúýæø",
    "fi": "äö", "et fiu-vro vep vro": _ESTONIAN, "olo": "čČšŠžŽäÄöÖ", "hu": "áéíóúöüőűÁÉÍÓÚÖÜŐŰ",
    "csb pl szl": _POLISH, "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíľĺňóôŕšťúýž",
    "bs hr": "čšžćđß", "sh sl": _SLOVENE, "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
    "bat-smg lt sgs": _LITHUANIAN, "ltg lv": _LATVIAN, "el pnt": _GREEK,
    "gag tr": _TURKISH, "az": "çəğıöşü", "tk": "ÄäÇçĞğŇňÖöŞşÜüÝýŽž", "uz": "ʻʼ“»",
    "crh": "âçğıñöşüа-яёʺʹ“»", "ku": "çêîşûẍḧÇÊÎŞÛẌḦ", "din": "äëɛ̈éɣïŋöɔó",
    "kk": "äçéğıïñöşüýʺʹа-яёәғіқңөұүһٴابپتجحدرزسشعغفقكلمنڭەوۇۋۆىيچھ“»",
    "av bxr ce inh koi krc kv lez mdf mhr mrj myv os ru tyv xal": _RUSSIAN,
    "lbe": _RUSSIAN + "Ӏ1“»", "mn": _RUSSIAN + "“»", "rue uk": _UKRAINIAN,
    "be be-tarask be-x-old": _BELARUSIAN, "bg": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "ab": "абвгҕдежзӡикқҟлмнопҧрстҭуфхҳцҵчҷҽҿшыҩџьә", "cv": 'а-яĕçăӳ"»',
    "cu": "абвгдеєжѕзїіıићклмнопсстѹфхѡѿцчшщъыьѣюѥѧѩѫѭѯѱѳѷѵґѓђёјйљњќуўџэ҄я“»",
    "sah": "абвгҕдеёжзийклмнҥоөпрсһтуүфхцчшщъыьэюя", "udm": "а-яёӝӟӥӧӵ",
    "tg": "абвгдеёжзийклмнопрстуфхчшъэюяғӣқўҳҷцщыь", "tt": _RUSSIAN + "ӘәӨөҮүҖҗҢңҺһ",
    "hy hyw": _ARMENIAN, "ka xmf": _GEORGIAN,
    "pa": "ਁਂਃਅ-ਊਏਐਓ-ਨਪ-ਰਲਲ਼ਵਸ਼ਸਹ਼ਾ-ੂੇੈੋ-੍ਖ਼-ੜਫ਼ੰ-ੳ",
}  # fmt: skip
_WITHOUT_LATIN = {
    "azb fa glk lrc mzn": _PERSIAN, "ckb": "ئابپتجچحخدرڕزژسشعغفڤقکگلڵمنوۆهھەیێ",
    "ur": "ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنںوؤہھیئےآأءۃ", "bn bpy": "ঀ-৿", "gu": "઀-૿",
    "mr": "ऀ-ॣॱ-ॿ", "ta": "஀-௿", "te": "ఁ-౯",
    "sr": "abvgdđežzijklmnoprstćufhcčšабвгдђежзијклљмнњопрстћуфхцчџш",
    "ami cdo gan hsn ii lzh nan wuu yue zh zh-classical zh-min-nan zh-yue": "",
}  # fmt: skip


def trail_letters(language: str) -> str:
    """Return the letters that continue a link in a language; ranges are written out.

    Parameters
    ----------
    language
        Code of the wiki, such as ``"de"`` or ``"zh-yue"``. A variant (``"zh-hans"``) that is not
        listed has the letters of its language.

    Examples
    --------
    >>> "ß" in trail_letters("de"), "ß" in trail_letters("en"), trail_letters("zh")
    (True, False, '')
    """
    for code in (language.lower(), language.lower().partition("-")[0]):
        for table, others in ((_WITH_LATIN, _A_TO_Z), (_WITHOUT_LATIN, "")):
            for codes, letters in table.items():
                if code in codes.split():
                    return others + _written_out(letters)
    return _A_TO_Z


@lru_cache(maxsize=512)
def trail_table(letters: str) -> Bytes1d:
    """Return 1 for each code point below 0x10000 that is one of `letters`, else 0."""
    table = np.zeros(TABLE_SIZE, np.uint8)
    table[[ord(letter) for letter in letters]] = 1
    table.setflags(write=False)
    return table


def _written_out(letters: str) -> str:
    """Return the letters with each range ``a-z`` replaced by what it holds."""
    written = ""
    i = 0
    while i < len(letters):
        if letters[i + 1 : i + 2] == "-" and i + 2 < len(letters):
            written += "".join(map(chr, range(ord(letters[i]), ord(letters[i + 2]) + 1)))
            i += 3
        else:
            written += letters[i]
            i += 1
    return written
