"""Headings in other languages, in the English that `names` reads. Pure."""

import re

# A longer word stands before those that it holds.
ENGLISH: tuple[tuple[str, str], ...] = (
    ("无投机|不开投机|未开启投机|非投机|关闭投机", "no spec"),
    ("基线|基準|ベースライン|기준선|베이스라인|базов\\w*", "baseline"),
    (
        "(?:每步|单步|每轮)?(?:接受|接收|采纳)(?:的)?(?:token ?)?(?:长度|長度|数)|受[理容]長|수락 ?길이",
        "accept length",
    ),
    ("длина приняти\\w*|akzeptanzlänge|longueur d.acceptation|longitud de aceptación", "accept length"),
    ("(?:接受|接收|采纳)(?:率|比例|概率)|受[理容]率|수락[률율]|дол[яи] приняти\\w*", "accept rate"),
    ("akzeptanzrate|taux d.acceptation|tasa de aceptación", "accept rate"),
    (
        "加速比|加速倍数|加速倍率|加速|提速比?|高速化率?|가속|ускорени\\w*|beschleunigung|accélération",
        "speedup",
    ),
    ("aceleración", "speedup"),
    ("吞吐量|吞吐率|吞吐|吞吐|スループット|처리량|пропускная способность|durchsatz|débit", "throughput"),
    ("(?:投机|推测|草稿)?步数|ステップ数|스텝 ?수|число шагов|schritte", "steps"),
    ("草稿 ?(?:token|词元) ?(?:数量?|个数)?|草案トークン数?", "draft tokens"),
    ("草稿|草案|起草|ドラフト", "draft"),
    ("验证|驗證|検証|검증|verifikation|vérification|проверк\\w*", "verify"),
    ("(?:每步|单步|每轮|每周期)(?:总计|耗时|时间|时延|延迟)?|周期(?:时间)?", "cycle time"),
    ("并发(?:请求)?数?|同時実行数|동시 ?요청", "concurrency"),
    ("批(?:次|处理)?大小|批量(?:大小)?|バッチサイズ|배치 ?크기|размер батча|batchgröße", "batch size"),
    ("首 ?(?:token|字|词元) ?(?:延迟|时延|时间)", "ttft"),
    ("延迟|时延|耗时|レイテンシ|지연 ?시간|задержка|latenz|latence", "latency"),
    ("变化|提升|增益|收益|降幅|增幅|変化|변화|изменение", "change"),
    ("解码|生成|生成|デコード", "decode"),
    ("速度", "speed"),
    ("平均|均值|среднее", "mean"),
    ("中位数?", "median"),
    ("输出|出力|출력", "output"),
    ("输入|入力|입력", "input"),
    ("合计|总计|总", "total"),
    ("每个?请求", "per request"),
    ("毫秒", "ms"),
    ("秒", "s"),
)
_FOREIGN = re.compile(
    r"[à-ÿ\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|schritte|durchsatz|akzeptanz|beschleunigung|longitud|latenz|tasa de",
    re.IGNORECASE,
)
_COMPILED = [(re.compile(pattern, re.IGNORECASE), f" {word} ") for pattern, word in ENGLISH]


def english(text: str) -> str:
    """Return *text* with the words that are known here in English; most text comes back as it is."""
    if not _FOREIGN.search(text):
        return text
    for pattern, word in _COMPILED:
        text = pattern.sub(word, text)
    return " ".join(text.split())
